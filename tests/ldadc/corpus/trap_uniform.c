/* trap: the command line decides whether, and where
 * args: 1; 0
 * symbols: slabs=1 off=4000; slabs=0 off=0
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int slabs = atoi(argv[2]);
    MPI_Offset off = 0;
    for (int i = 0; i < 3; i++)
        if (slabs)
            WRITE_BLOCK((rank * 3 + i) * S);
        else
            WRITE_BLOCK((i * nprocs + rank) * S);
    if (slabs)
        off = 4000;
    WRITE_BLOCK(off + rank * S);
    END;
}
