/* One seek, then records one after the other.
 * args: 5; 1
 * symbols: n=5; n=1
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    int n, head[4] = {0};
    double record[3] = {0};
    START;
    n = atoi(argv[2]);
    MPI_File_seek(fh, (MPI_Offset)rank * (16 + n * 24), MPI_SEEK_SET);
    MPI_File_write(fh, head, 4, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_File_write(fh, record, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
    END;
}
