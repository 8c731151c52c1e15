/* trap: the rank in another communicator
 * expect: unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int color_rank, color_size, reversed;
    BEGIN;
    MPI_Comm half, turned;
    OPEN;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &color_rank);
    MPI_Comm_size(half, &color_size);
    for (int i = 0; i < 2; i++)
        WRITE_BLOCK((i * color_size + color_rank) * S);
    MPI_Comm_split(MPI_COMM_WORLD, 0, nprocs - rank, &turned);
    MPI_Comm_rank(turned, &reversed);
    WRITE_BLOCK(reversed * S);
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    END;
}
