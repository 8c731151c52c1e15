/* trap: an argument that may be missing
 * args: 7;
 * symbols: n=7; n=4
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int n = 4;
    BEGIN;
    if (argc > 2)
        n = atoi(argv[2]);
    OPEN;
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
