/* trap: which argument is read depends on the rank, or on the iteration
 * args: 3 5 2 7
 * symbols: n=3 size=3
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2 + rank % 4]);
    WRITE_BLOCK(n * 100);
    for (int i = 0; i < 4; i++) {
        int size = atoi(argv[2 + i]);
        WRITE_BYTES((i * nprocs + rank) * S, b, size);
    }
    END;
}
