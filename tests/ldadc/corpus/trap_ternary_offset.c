/* trap: an offset that the first iteration sets and the others increase
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = 0;
    for (int i = 0; i < 4; i++) {
        off = i ? off + 2 * nprocs * S : rank * S;
        WRITE_BLOCK(off);
    }
    END;
}
