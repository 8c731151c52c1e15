/* trap: a loop that may not be gone through at all, or whose bound is negative
 * args: 3; 8
 * symbols: n=3; n=8
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]), i;
    for (i = 5; i < n; i += 2)
        WRITE_BLOCK((i * nprocs + rank) * S);
    WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
