/* trap: values that depend on the command line: the same on all ranks, and not
 * args: 1 0; 0 1
 * symbols: slabs=1 second=0 x=100 x_2=100; slabs=0 second=1 x=200 x_2=300
 * expect: any; any; unresolved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int slabs = atoi(argv[2]), second = atoi(argv[3]), x;
    OPEN;
    if (slabs)
        x = 100;
    else
        x = 200;
    WRITE_BLOCK(x + rank * S);
    if (second)
        x = 300;
    MPI_File_write_at(fh, x + rank * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    if (slabs)
        x = rank * 64;
    else
        x = rank * 1000;
    WRITE_BLOCK(x);
    END;
}
