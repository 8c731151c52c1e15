/* trap: the offset is increased at two places of the body
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    for (int i = 0; i < 3; i++) {
        WRITE_BLOCK(off);
        off += nprocs * S;
        WRITE_BYTES(off, b, S / 2);
        off += 2 * nprocs * S;
    }
    END;
}
