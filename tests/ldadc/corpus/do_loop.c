/* The body of a do loop is gone through once at least.
 * trap: a do loop whose condition does not hold at first
 * args: 3; 0
 * symbols: n=3; n=0
 * expect: any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int i = 0;
    char b[8] = "";
    BEGIN;
    int n = atoi(argv[2]);
    OPEN;
    do {
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    } while (++i < n);
    END;
}
