/* Coordinates of a Cartesian communicator whose ranks stay as they are.
 * expect: resolved segmented; resolved segmented; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int d[3] = {0, 0, 0}, wraps[3] = {0}, at[3], again;
    MPI_Comm grid;
    MPI_Dims_create(nprocs, 3, d);
    MPI_Cart_create(MPI_COMM_WORLD, 3, d, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, at);
    MPI_Cart_rank(grid, at, &again);
    OPEN;
    WRITE_BLOCK(((at[0] * d[1] + at[1]) * d[2] + at[2]) * S);
    WRITE_BLOCK(10000 + rank * S);
    WRITE_BLOCK(20000 + again * S);
    MPI_Comm_free(&grid);
    END;
}
