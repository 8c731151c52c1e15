/* Neighbours in a ring, told by comparing the rank with the first and the last one.
 * args: 20; 1
 * symbols: n=20; n=1
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]), left = rank == 0 ? nprocs - 1 : rank - 1,
        right = rank == nprocs - 1 ? 0 : rank + 1;
    char *buf = calloc(n, 1);
    OPEN;
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    left = rank - 1;
    if (left < 0)
        left = nprocs - 1;
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    right = rank + 1;
    if (right == nprocs)
        right = 0;
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    left = (rank > 0) ? rank - 1 : nprocs - 1;
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank < nprocs - 1)
        right = rank + 1;
    else
        right = 0;
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    free(buf);
    END;
}
