/* A square of ranks, by the square root of their number.
 *
 * expect: any
 * expect: any
 */
#include <math.h>
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
    int side = (int)sqrt(nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (rank / side * 1000 + rank % side) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 100000 + (rank + side) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
