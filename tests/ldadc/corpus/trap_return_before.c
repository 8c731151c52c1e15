/* trap: a function that returns before its call on some ranks
 * expect: any; any */
#include "corpus.h"

static void put(MPI_File fh, int rank, int i)
{
    char b[S] = "";
    if (rank % 2)
        return;
    WRITE_BLOCK((rank + i * 10) * S);
}

int main(int argc, char **argv)
{
    START;
    for (int i = 0; i < 3; i++)
        put(fh, rank, i);
    if (nprocs > 2)
        goto out;
    WRITE_BYTES(rank * S, &rank, sizeof rank);
out:
    END;
}
