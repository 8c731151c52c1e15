/* trap: an assignment after the loop, within a loop around it
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 2; i++) {
            WRITE_BLOCK(off);
            off += nprocs * S;
        }
        off = 1000 + j * j * 500 + rank * S;
    }
    END;
}
