/* Shares by the products' quotients: each record belongs to one rank.
 * trap: quotients in the loop's bounds
 * args: 10; 3
 * symbols: n=10; n=3
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = rank * n / nprocs; i < (rank + 1) * n / nprocs; i++)
        WRITE_BLOCK(i * S);
    for (int i = 0; i < n / nprocs; i++)
        WRITE_BLOCK((rank * (n / nprocs) + i) * S);
    END;
}
