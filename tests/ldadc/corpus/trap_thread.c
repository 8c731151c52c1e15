/* trap: another thread changes the variable
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <pthread.h>
#define S 16

static MPI_Offset off;

static void *further(void *arg)
{
    off += 640;
    return arg;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    pthread_t thread;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    off = rank * S;
    pthread_create(&thread, NULL, further, NULL);
    pthread_join(thread, NULL);
    MPI_File_write_at(fh, off, b, S + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
