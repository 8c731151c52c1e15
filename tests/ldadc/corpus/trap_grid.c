/* trap: coordinates in a grid of ranks, which the library deals out
 *
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int dims[2] = {0, 0}, wraps[2] = {0, 0}, at[2], in_grid;
    MPI_Comm grid;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Dims_create(nprocs, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 1, &grid);
    MPI_Comm_rank(grid, &in_grid);
    MPI_Cart_coords(grid, in_grid, 2, at);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (at[0] * dims[1] + at[1]) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (in_grid + rank) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
