/* trap: unsigned arithmetic wraps around
 * args: 2; 5
 * symbols: n=2; n=5
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    unsigned n = atoi(argv[2]);
    unsigned char less = rank - 1;
    for (unsigned i = n; i - 1 < n; i--)
        WRITE_BLOCK((i * nprocs + rank) * S);
    WRITE_BLOCK((MPI_Offset)less * S);
    END;
}
