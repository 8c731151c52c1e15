/* Blocks whose sizes have a remainder, in five ways to write it.
 * args: 10; 3; 0
 * symbols: n=10; n=3; n=0
 * expect: resolved segmented; resolved segmented; resolved segmented; any; any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs, start, length;
    OPEN;
    MPI_File_write_at(fh, rank * q + (rank < m ? rank : m), b, q + (rank < m), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    if (rank < m) {
        length = q + 1;
        start = rank * length;
    } else {
        length = q;
        start = rank * q + m;
    }
    MPI_File_write_at(fh, 1000 + start, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    start = rank * n / nprocs;
    length = (rank + 1) * n / nprocs - start;
    MPI_File_write_at(fh, 2000 + start, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    int block = (n + nprocs - 1) / nprocs, low = rank * block, high = low + block;
    if (low > n)
        low = n;
    if (high > n)
        high = n;
    MPI_File_write_at(fh, 3000 + low, b, high - low, MPI_BYTE, MPI_STATUS_IGNORE);
    length = rank == nprocs - 1 ? n - rank * q : q;
    MPI_File_write_at(fh, 4000 + rank * q, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
