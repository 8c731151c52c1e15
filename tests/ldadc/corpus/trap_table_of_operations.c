/* trap: a function is called through a table in a struct
 * expect: unresolved */
#include "corpus.h"

struct mover {
    void (*move)(MPI_Offset *off);
};

static void far(MPI_Offset *off)
{
    *off = 9000 - *off;
}

int main(int argc, char **argv)
{
    const struct mover m = {far};
    START_B;
    MPI_Offset off = rank * S;
    m.move(&off);
    WRITE_BYTES(off, b, S - 0 * nprocs);
    END;
}
