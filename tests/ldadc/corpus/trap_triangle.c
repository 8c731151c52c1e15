/* trap: the inner loop's bound and the size depend on the outer loop
 * args: 4
 * symbols: n=4
 * expect: unresolved; unresolved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            WRITE_BLOCK(((MPI_Offset)(i * n + j) * nprocs + rank) * S);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, ((MPI_Offset)i * nprocs + rank) * S, b, i + 1, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    END;
}
