/* trap: one more in the bound than in the count
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 1; i <= n; i++)
        WRITE_BLOCK(((i - 1) * nprocs + rank) * S);
    for (int i = n; i-- > 0;)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
