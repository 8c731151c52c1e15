/* trap: the rank in another communicator
 *
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int color_rank, color_size, reversed;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm half, turned;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &color_rank);
    MPI_Comm_size(half, &color_size);
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(fh, (i * color_size + color_rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, 0, nprocs - rank, &turned);
    MPI_Comm_rank(turned, &reversed);
    MPI_File_write_at(fh, reversed * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
