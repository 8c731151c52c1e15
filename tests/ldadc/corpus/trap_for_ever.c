/* trap: a loop without a condition, that ends by break
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0;
    START_B;
    int n = atoi(argv[2]);
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
