/* trap: side effects in conditions, arguments and comma operators
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0, j;
    START_B;
    int n = atoi(argv[2]);
    while (i++ < n)
        WRITE_BLOCK((i * nprocs + rank) * S);
    MPI_Offset off = rank * S;
    for (j = 0; j < n; j++)
        WRITE_BLOCK((off += nprocs * S, off - S));
    off = rank;
    for (i = 0, j = n; i < j; i++, j--)
        WRITE_BYTES(S * off++, b, i + 1);
    END;
}
