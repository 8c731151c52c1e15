/* trap: a loop without a condition, that ends by break
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: any; any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    int i = 0;
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    for (;;) {
        if (i >= n)
            break;
        WRITE_BLOCK((i * nprocs + rank) * S);
        i++;
    }
    while (1) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        if (++i > 2 * n)
            break;
    }
    END;
}
