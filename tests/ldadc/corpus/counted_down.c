/* The number from the command line is counted down itself.
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    while (n--)
        WRITE_BLOCK((n * nprocs + rank) * S);
    END;
}
