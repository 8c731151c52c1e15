/* trap: only every other rank, or iteration
 *
 * expect: any
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (rank % 2 == 0)
        MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        if (i & 1)
            MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
    if (rank)
        MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
