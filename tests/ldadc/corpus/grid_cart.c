/* Coordinates of a Cartesian communicator whose ranks stay as they are.
 *
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int d[3] = {0, 0, 0}, wraps[3] = {0}, at[3], again;
    MPI_Comm grid;
    MPI_Dims_create(nprocs, 3, d);
    MPI_Cart_create(MPI_COMM_WORLD, 3, d, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, at);
    MPI_Cart_rank(grid, at, &again);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, ((at[0] * d[1] + at[1]) * d[2] + at[2]) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 10000 + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 20000 + again * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
