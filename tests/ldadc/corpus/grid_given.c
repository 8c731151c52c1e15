/* A grid one of whose extents is given, and one of 3 times 3.
 *
 * expect: any
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
    int d[2] = {1, 0}, at[2], wraps[2] = {0};
    int three[3] = {0, 3, 0};
    MPI_Dims_create(nprocs, 2, d);
    MPI_Dims_create(36, 3, three);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (rank / d[1] * 100 + rank % d[1]) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    at[0] = wraps[0];
    MPI_File_write_at(fh, 10000 + rank * three[0] * three[1] * three[2] + at[0], b, S,
                      MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
