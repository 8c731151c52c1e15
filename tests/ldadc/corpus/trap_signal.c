/* trap: a signal handler changes a variable of the file
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <signal.h>
#define S 16

static int offset;

static void handler(int number)
{
    offset += number * S;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    signal(SIGUSR2, handler);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    offset = rank * S;
    raise(SIGUSR2);
    MPI_File_write_at(fh, offset, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
