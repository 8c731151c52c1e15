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
    START;
    MPI_Offset off = 16 + rank * S;
    add(&off, &off);
    MPI_File_write_at(fh, off, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    all = rank * 64;
    more(&all);
    WRITE_BLOCK(all);
    END;
}
