/* trap: a pointer into an array, moved on, writes to what an index reads
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    MPI_Offset at[4] = {0, 64, 128, 192}, *p = at;
    OPEN;
    p += 2;
    *p = 4000 + rank * 100;
    WRITE_BLOCK(at[2] + rank * nprocs * S);
    END;
}
