/* trap: the offset is changed through a pointer to it
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S, *p = &off;
    for (int i = 0; i < 4; i++) {
        WRITE_BLOCK(off);
        off += nprocs * S;
        *p += i * S;
    }
    END;
}
