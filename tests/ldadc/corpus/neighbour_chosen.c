/* Neighbours in a ring, told by comparing the rank with the first and the last one.
 * args: 20; 1
 * symbols: n=20; n=1
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]), left = rank == 0 ? nprocs - 1 : rank - 1,
        right = rank == nprocs - 1 ? 0 : rank + 1;
    char *buf = calloc(n, 1);
    OPEN;
    WRITE_BYTES((MPI_Offset)left * n, buf, n);
    WRITE_BYTES((MPI_Offset)right * n, buf, n);
    left = rank - 1;
    if (left < 0)
        left = nprocs - 1;
    WRITE_BYTES((MPI_Offset)left * n, buf, n);
    right = rank + 1;
    if (right == nprocs)
        right = 0;
    WRITE_BYTES((MPI_Offset)right * n, buf, n);
    left = (rank > 0) ? rank - 1 : nprocs - 1;
    WRITE_BYTES((MPI_Offset)left * n, buf, n);
    if (rank < nprocs - 1)
        right = rank + 1;
    else
        right = 0;
    WRITE_BYTES((MPI_Offset)right * n, buf, n);
    free(buf);
    END;
}
