/* trap: a named value may be negative, whatever its name promises
 * args: -2; 2
 * symbols: shift=-2; shift=2
 * expect: any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int shift = atoi(argv[2]);
    OPEN;
    MPI_File_write_at(fh, (4 + rank) * S + shift / 2, b, S + 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
