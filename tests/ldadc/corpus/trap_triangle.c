/* trap: the inner loop's bound and the size depend on the outer loop
 * args: 4
 * symbols: n=4
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            WRITE_BLOCK(((MPI_Offset)(i * n + j) * nprocs + rank) * S);
    for (int i = 0; i < n; i++)
        WRITE_BYTES(((MPI_Offset)i * nprocs + rank) * S, b, i + 1);
    END;
}
