/* trap: the first iteration does more, the last one less
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: unresolved; any; unresolved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    for (int i = 0; i < n; i++) {
        if (i == 0)
            MPI_File_write_at(fh, rank, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        WRITE_BLOCK(64 + (i * nprocs + rank) * S);
        if (i < n - 1)
            WRITE_BLOCK(4096 + (i * nprocs + rank) * S);
    }
    END;
}
