/* trap: an argument that rank 0 alone reads, and changes before the others get it
 * args: 3
 * symbols: n=3 n_2=7
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int n = 0;
    BEGIN;
    if (rank == 0) {
        n = atoi(argv[2]);
        n = n * 2 + 1;
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    OPEN;
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
