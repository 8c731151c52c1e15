/* trap: a loop that takes away until nothing is left
 * args: 100; 64
 * symbols: bytes=100 left=100; bytes=64 left=64
 * expect: any */
#define S 32
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    long bytes = atol(argv[2]), left = bytes;
    MPI_Offset off = rank * bytes;
    OPEN;
    while (left > 0) {
        int now = left > S ? S : left;
        MPI_File_write_at(fh, off, b, now + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        off += now;
        left -= now;
    }
    END;
}
