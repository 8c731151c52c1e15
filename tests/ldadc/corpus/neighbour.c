/* Each rank reads back what the next one wrote.
 * args: 20; 1
 * symbols: n=20; n=1
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    int n = atoi(argv[2]), next = (rank + 1) % nprocs;
    double *buf = calloc(n, sizeof *buf);
    MPI_File_write_at(fh, (MPI_Offset)rank * n * sizeof(double), buf, n, MPI_DOUBLE,
                      MPI_STATUS_IGNORE);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, (MPI_Offset)next * n * sizeof(double), buf, n, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
    int other = (rank - 1 + nprocs) % nprocs;
    MPI_File_read_at(fh, (MPI_Offset)other * n * sizeof(double), buf, n, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
    free(buf);
    END;
}
