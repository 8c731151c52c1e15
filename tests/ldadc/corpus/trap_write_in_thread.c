/* trap: a thread writes, from what it is given
 * unlisted: 1
 * expect: any */
#include <mpi.h>
#include <pthread.h>
#define S 16

struct work {
    MPI_File fh;
    int from;
};

static void *worker(void *arg)
{
    struct work *w = arg;
    char b[S] = "";
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(w->fh, (w->from + i) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct work w;
    int rank, given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &w.fh);
    w.from = rank * rank * 10;
    pthread_create(&thread, NULL, worker, &w);
    pthread_join(thread, NULL);
    MPI_File_close(&w.fh);
    MPI_Finalize();
    return 0;
}
