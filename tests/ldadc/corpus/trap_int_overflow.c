/* trap: products of ints that overflow with more ranks or blocks
 * expect: resolved interleaved warned */
#include "corpus.h"
#define SIZE (1 << 20)

int main(int argc, char **argv)
{
    static char b[SIZE];
    START;
    for (int i = 0; i < 2; i++) {
        MPI_Offset off = i * nprocs * SIZE + rank * SIZE;
        WRITE_BYTES(off, b, SIZE);
    }
    END;
}
