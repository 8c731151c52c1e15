/* trap: the number of arguments, the length of a name, the size of a pointer
 * args: 3
 * symbols: argc=3
 * expect: any; unresolved; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", *p = b;
    START;
    WRITE_BLOCK(argc * 100 + rank * S);
    WRITE_BYTES(strlen(argv[1]) * (rank + 1) * S, b, S - 0 * nprocs);
    WRITE_BYTES(rank * S, p, sizeof p);
    END;
}
