/* trap: an increment that only happens where && goes on
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    for (int i = 0; i < 6; i++) {
        WRITE_BLOCK(off);
        (void)(i > 2 && (off += nprocs * S));
    }
    END;
}
