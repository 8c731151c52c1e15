/* trap: the number of arguments, the length of a name, the size of a pointer
 * args: 3
 * symbols: argc=3
 * expect: any; unresolved; resolved segmented */
#include "corpus.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char b[S] = "", *p = b;
    BEGIN;
    OPEN;
    WRITE_BLOCK(argc * 100 + rank * S);
    MPI_File_write_at(fh, strlen(argv[1]) * (rank + 1) * S, b, S - 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * S, p, sizeof p, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
