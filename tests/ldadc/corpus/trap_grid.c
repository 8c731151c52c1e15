/* trap: coordinates in a grid of ranks, which the library deals out
 * expect: unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int dims[2] = {0, 0}, wraps[2] = {0, 0}, at[2], in_grid;
    MPI_Comm grid;
    BEGIN;
    MPI_Dims_create(nprocs, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 1, &grid);
    MPI_Comm_rank(grid, &in_grid);
    MPI_Cart_coords(grid, in_grid, 2, at);
    OPEN;
    WRITE_BLOCK((at[0] * dims[1] + at[1]) * S);
    WRITE_BLOCK((in_grid + rank) * S);
    MPI_Comm_free(&grid);
    END;
}
