/* trap: a loop that ends for one of two reasons
 * args: 9; 2
 * symbols: n=9; n=2
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n && i < 4 + rank; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
