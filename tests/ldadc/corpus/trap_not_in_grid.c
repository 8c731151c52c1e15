/* trap: what only those ranks do that a communicator leaves out
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Comm grid;
    int size = (nprocs + 1) / 2, round = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &grid);
    OPEN;
    if (grid == MPI_COMM_NULL)
        WRITE_BLOCK(rank * S);
    END;
}
