/* trap: the command line decides how the offset runs
 * args: 1; 0
 * symbols: wide=1 wide_64_32=64; wide=0 wide_64_32=32
 * expect: unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int wide = atoi(argv[2]);
    MPI_Offset off = rank * S;
    for (int i = 0; i < 4; i++) {
        WRITE_BLOCK(off);
        if (wide)
            off += 2 * nprocs * S;
        else
            off += nprocs * S;
    }
    int step = wide ? 64 : 32;
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((i * nprocs + rank) * step);
    END;
}
