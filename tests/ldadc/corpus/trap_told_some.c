/* trap: numbers that only a part of the ranks is told, or a part of a variable
 * expect: unresolved; unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Comm half;
    int n = rank / 2, m = rank;
    long long wide = (long long)rank << 32;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Bcast(&n, 1, MPI_INT, 0, half);
    if (rank == 0)
        MPI_Bcast(&m, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Bcast(&wide, 1, MPI_INT, 0, MPI_COMM_WORLD);
    OPEN;
    WRITE_BLOCK(n * S);
    WRITE_BLOCK(m * S);
    WRITE_BLOCK(wide / 65536 / 65536 * S);
    MPI_Comm_free(&half);
    END;
}
