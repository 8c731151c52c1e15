/* trap: side effects in conditions, arguments and comma operators
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: any; any; any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    int i = 0, j;
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    while (i++ < n)
        WRITE_BLOCK((i * nprocs + rank) * S);
    MPI_Offset off = rank * S;
    for (j = 0; j < n; j++)
        WRITE_BLOCK((off += nprocs * S, off - S));
    off = rank;
    for (i = 0, j = n; i < j; i++, j--)
        MPI_File_write_at(fh, S * off++, b, i + 1, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
