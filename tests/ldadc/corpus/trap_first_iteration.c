/* trap: the first iteration does more, the last one less
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: unresolved; any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        if (i == 0)
            WRITE_BYTES(rank, b, 1);
        WRITE_BLOCK(64 + (i * nprocs + rank) * S);
        if (i < n - 1)
            WRITE_BLOCK(4096 + (i * nprocs + rank) * S);
    }
    END;
}
