/* trap: a loop that takes away until nothing is left
 * args: 100; 64
 * symbols: bytes=100 left=100; bytes=64 left=64
 * expect: any */
#define S 32
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    long bytes = atol(argv[2]), left = bytes;
    MPI_Offset off = rank * bytes;
    OPEN;
    while (left > 0) {
        int now = left > S ? S : left;
        WRITE_BYTES(off, b, now + 0 * nprocs);
        off += now;
        left -= now;
    }
    END;
}
