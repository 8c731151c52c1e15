/* trap: a variable of the file is changed in a function that is called in the loop
 * expect: unresolved */
#include "corpus.h"

static MPI_Offset off;
static int calls;

static void count(void)
{
    if (++calls == 2)
        off += 4096;
}

int main(int argc, char **argv)
{
    START_B;
    off = rank * S;
    for (int i = 0; i < 4; i++) {
        WRITE_BLOCK(off);
        off += nprocs * S;
        count();
    }
    END;
}
