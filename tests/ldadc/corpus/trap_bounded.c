/* trap: numbers from the command line are kept within bounds
 * args: 9; 0; 3
 * symbols: n=9 m=9; n=0 m=0; n=3 m=3
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int n = atoi(argv[2]), m = atoi(argv[2]);
    if (n > 5)
        n = 5;
    if (n < 1)
        n = 1;
    m = m < 2 ? 2 : m > 4 ? 4 : m;
    OPEN;
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    for (int i = 0; i < m; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
