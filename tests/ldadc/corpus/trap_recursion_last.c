/* trap: the one that writes is a call that the function makes of itself
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

static void write_last(MPI_File fh, int rank, int n)
{
    char b[S] = "";
    if (n > 0)
        write_last(fh, rank + 2, n - 1);
    else
        MPI_File_write_at(fh, (MPI_Offset)rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    write_last(fh, rank, 3);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
