/* trap: a pointer to the offset is kept in a variable of the file
 * expect: unresolved */
#include "corpus.h"

static MPI_Offset *kept;

static void keep(MPI_Offset *at)
{
    kept = at;
}

static void jump(int i)
{
    *kept += i * i * S;
}

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    keep(&off);
    for (int i = 0; i < 4; i++) {
        jump(i);
        WRITE_BLOCK(off);
    }
    END;
}
