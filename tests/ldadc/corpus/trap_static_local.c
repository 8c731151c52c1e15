/* trap: a static variable keeps its value from call to call
 * expect: any */
#include "corpus.h"

static void put(MPI_File fh, int rank, int nprocs)
{
    static int calls = 0;
    char b[S] = "";
    WRITE_BLOCK((calls * nprocs + rank) * S);
    calls += 2;
}

int main(int argc, char **argv)
{
    START;
    for (int i = 0; i < 3; i++)
        put(fh, rank, nprocs);
    put(fh, rank, nprocs);
    END;
}
