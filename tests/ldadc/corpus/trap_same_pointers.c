/* trap: two parameters point to the same variable
 * expect: any; any */
#include "corpus.h"

static MPI_Offset all;

static void add(MPI_Offset *to, const MPI_Offset *what)
{
    *to += *what;
    *to += *what;
}

static void more(MPI_Offset *to)
{
    *to += 16;
    all += 32;
    *to += all;
}

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = 16 + rank * S;
    add(&off, &off);
    WRITE_BYTES(off, b, S - 0 * nprocs);
    all = rank * 64;
    more(&all);
    WRITE_BLOCK(all);
    END;
}
