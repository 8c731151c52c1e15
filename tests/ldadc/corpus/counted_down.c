/* The number from the command line is counted down itself.
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    while (n--)
        WRITE_BLOCK((n * nprocs + rank) * S);
    END;
}
