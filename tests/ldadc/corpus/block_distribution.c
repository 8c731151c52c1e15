/* Each rank takes its share of n records, the last ones perhaps less.
 * trap: shares that are rounded up
 * args: 10; 8; 2
 * symbols: n=10; n=8; n=2
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int n = atoi(argv[2]);
    int share = (n + nprocs - 1) / nprocs;
    int low = rank * share, high = low + share;
    if (high > n)
        high = n;
    OPEN;
    for (int i = low; i < high; i++)
        WRITE_BLOCK((MPI_Offset)i * S);
    END;
}
