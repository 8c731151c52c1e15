/* trap: a function that returns early from its loop
 * args: 5; 1
 * symbols: n=5; n=1
 * expect: unresolved */
#include "corpus.h"

static int put_all(MPI_File fh, int n, int rank, int nprocs)
{
    char b[S] = "";
    for (int i = 0; i < n; i++) {
        if (i > 1 + rank)
            return i;
        WRITE_BLOCK((i * nprocs + rank) * S);
    }
    return n;
}

int main(int argc, char **argv)
{
    START;
    put_all(fh, atoi(argv[2]), rank, nprocs);
    END;
}
