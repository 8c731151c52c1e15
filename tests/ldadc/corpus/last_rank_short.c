/* The last rank takes what is left over.
 * trap: the size depends on the rank
 * args: 10; 8
 * symbols: n=10; n=8
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]), each = n / nprocs, rest = n % nprocs;
    int mine = each, first = rank * each;
    if (rank == nprocs - 1)
        mine = n - rank * each;
    char *buf = calloc(n, 1);
    OPEN;
    WRITE_BYTES(first, buf, mine);
    /* the first ranks take one more */
    mine = each + (rank < rest);
    first = rank * each + (rank < rest ? rank : rest);
    WRITE_BYTES(first, buf, mine);
    free(buf);
    END;
}
