/* trap: values that depend on the command line: the same on all ranks, and not
 * args: 1 0; 0 1
 * symbols: slabs=1 second=0 x=100 x_2=100; slabs=0 second=1 x=200 x_2=300
 * expect: any; any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int slabs = atoi(argv[2]), second = atoi(argv[3]), x;
    if (slabs)
        x = 100;
    else
        x = 200;
    WRITE_BLOCK(x + rank * S);
    if (second)
        x = 300;
    WRITE_BYTES(x + rank * S, b, S - 0 * nprocs);
    if (slabs)
        x = rank * 64;
    else
        x = rank * 1000;
    WRITE_BLOCK(x);
    END;
}
