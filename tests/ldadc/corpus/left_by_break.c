/* Loops without an end that are left where there is nothing more to do.
 * args: 5; 0
 * symbols: n=5; n=0
 * expect: any; resolved interleaved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int n = atoi(argv[2]), k = 0;
    MPI_Offset at = rank * S, end = (MPI_Offset)n * nprocs * S;
    while (1) {
        if (at >= end)
            break;
        WRITE_BLOCK(at);
        at += nprocs * S;
    }
    for (;;) {
        WRITE_BLOCK(100000 + (k * nprocs + rank) * S);
        if (k == n)
            break;
        k++;
    }
    WRITE_BLOCK(200000 + k * nprocs * S + rank * S);
    END;
}
