/* trap: a view that is only set on the command line's wish
 * args: 0; 1
 * symbols: doubles=0; doubles=1
 * expect: unresolved */
#include "corpus.h"
#define N 4

int main(int argc, char **argv)
{
    double b[N] = {0};
    START;
    int doubles = atoi(argv[2]);
    if (doubles)
        MPI_File_set_view(fh, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write_at(fh, rank * N, b, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    END;
}
