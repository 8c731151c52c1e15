/* A block of a cube for each rank, cut along its slowest dimension.
 *
 * args: 2
 * symbols: nz=2
 * args: 5
 * symbols: nz=5
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nx = 4, ny = 3, nz;
    float line[2] = {1, 2};
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nz = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; x += 2) {
                MPI_Offset cell = ((MPI_Offset)(rank * nz + z) * ny + y) * nx + x;
                MPI_File_write_at(fh, cell * (MPI_Offset)sizeof(float), line, 2,
                                  MPI_FLOAT, MPI_STATUS_IGNORE);
            }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
