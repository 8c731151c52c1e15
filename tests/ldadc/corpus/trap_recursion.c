/* trap: recursion
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

static void put(MPI_File fh, MPI_Offset at, int depth)
{
    char b[S] = "";
    if (depth == 0)
        return;
    MPI_File_write_at(fh, at, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    put(fh, at * 2 + 64, depth - 1);
}

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    put(fh, rank * S, 1 + nprocs);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
