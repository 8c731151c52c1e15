/* Loops in other forms: down, while, by two, to and with the last.
 * args: 5; 0
 * symbols: n=5; n=0
 * expect: resolved interleaved; resolved interleaved; resolved disjoint
 * expect: resolved interleaved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n, i;
    char b[8] = "";
    BEGIN;
    n = atoi(argv[2]);
    OPEN;
    for (i = n - 1; i >= 0; i--)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    i = 0;
    while (i < n) {
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        i++;
    }
    for (i = 1; i <= 2 * n; i += 2)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    for (i = 0; i != n; ++i)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    END;
}
