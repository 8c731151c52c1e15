/* trap: an inner variable hides an outer one
 * expect: resolved disjoint; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    for (int i = 0; i < 3; i++) {
        MPI_Offset off = (i * nprocs + rank) * 2 * S;
        WRITE_BYTES(off, b, 2 * S > (int)sizeof b ? S : 0);
        off += 1000;
    }
    WRITE_BLOCK(off);
    END;
}
