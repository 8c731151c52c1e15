/* trap: steps that depend on the rank, or become smaller
 * args: 9; 1
 * symbols: n=9; n=1
 * expect: any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i += rank + 1)
        WRITE_BLOCK((i * nprocs + rank) * S);
    for (int i = n; i > 0; i /= 2)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
