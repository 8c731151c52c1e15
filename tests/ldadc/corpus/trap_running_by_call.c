/* trap: a function moves the offset on, through its parameter
 * args: 3; 1
 * symbols: n=3; n=1
 * expect: any */
#include "corpus.h"

static void put(MPI_File fh, MPI_Offset *off, const char *b, int nprocs)
{
    WRITE_BLOCK(*off);
    *off += nprocs * S;
}

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    MPI_Offset off = rank * S;
    for (int i = 0; i < n; i++)
        put(fh, &off, b, nprocs);
    END;
}
