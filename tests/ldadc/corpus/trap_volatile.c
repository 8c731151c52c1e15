/* trap: a volatile variable
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    volatile MPI_Offset off = rank * S;
    for (int i = 0; i < 3; i++) {
        WRITE_BLOCK(off);
        off = off + nprocs * S;
    }
    END;
}
