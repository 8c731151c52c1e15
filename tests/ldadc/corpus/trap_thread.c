/* trap: another thread changes the variable
 * expect: unresolved */
#include "corpus.h"
#include <pthread.h>

static MPI_Offset off;

static void *further(void *arg)
{
    off += 640;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    START_B;
    off = rank * S;
    pthread_create(&thread, NULL, further, NULL);
    pthread_join(thread, NULL);
    WRITE_BYTES(off, b, S + 0 * nprocs);
    END;
}
