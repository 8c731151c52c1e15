/* trap: products of ints that overflow with more ranks or blocks
 * expect: resolved interleaved warned */
#include "corpus.h"
#define SIZE (1 << 20)

int main(int argc, char **argv)
{
    static char b[SIZE];
    BEGIN;
    OPEN;
    for (int i = 0; i < 2; i++) {
        MPI_Offset off = i * nprocs * SIZE + rank * SIZE;
        MPI_File_write_at(fh, off, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    END;
}
