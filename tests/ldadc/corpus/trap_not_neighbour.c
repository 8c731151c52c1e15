/* Remainders that do not go through the ranks as the rank does: each of two, one more
 * than there are, and the next one's place after the own. And one that does, backwards.
 * args: 8
 * symbols: n=8
 * expect: resolved segmented; any; any; any; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]);
    char *buf = calloc(n, 1);
    MPI_Offset twice = 2 * rank % nprocs, more = (rank + 1) % (nprocs + 1),
               both = rank + (rank + 1) % nprocs, back = (2 * nprocs - rank) % nprocs;
    OPEN;
    WRITE_BYTES((MPI_Offset)rank * n, buf, n);
    WRITE_BYTES(twice * n, buf, n);
    WRITE_BYTES(more * n, buf, n);
    WRITE_BYTES(both * n, buf, n);
    WRITE_BYTES(back * n, buf, n);
    free(buf);
    END;
}
