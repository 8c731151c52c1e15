/* trap: offsets and counts from tables
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

static const int table[] = {7, 0, 3, 1};
static int lengths[4] = {4, 8, 2, 16};

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
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(fh, (table[i] * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * S, b, lengths[rank % 4], MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
