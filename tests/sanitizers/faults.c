/* A program of MPI with one fault, which a sanitizer must detect although suppressions
 * are in force: faults leak|overflow|undefined|race|none */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int racy;

static void *add(void *nothing)
{
    racy++;
    return nothing;
}

static void race(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    racy++;
    pthread_join(t, NULL);
}

/* Allocates memory that is lost as soon as the pointer is overwritten. */
static void leak(void)
{
    static void *volatile only;
    for (int i = 0; i < 10; i++)
        only = malloc(1000);
    free(only);
    only = NULL;
}

static void overflow(int n)
{
    volatile char *p = malloc((size_t)n);
    p[n] = 1;
    free((void *)p);
}

static void undefined(int n)
{
    volatile int most = INT_MAX;
    most = most + n;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(what, "leak"))
        leak();
    else if (!strcmp(what, "overflow"))
        overflow(ranks);
    else if (!strcmp(what, "undefined"))
        undefined(ranks);
    else if (!strcmp(what, "race"))
        race();
    MPI_Finalize();
    puts("at the end");
    return 0;
}
