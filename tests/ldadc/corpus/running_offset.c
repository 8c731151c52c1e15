/* The offset runs along.
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int n, chunk = 96;
    char buf[96] = {0};
    START;
    n = atoi(argv[2]);
    MPI_Offset off = rank * chunk;
    for (int i = 0; i < n; i++) {
        MPI_File_write_at(fh, off, buf, chunk, MPI_CHAR, MPI_STATUS_IGNORE);
        off += nprocs * chunk;
    }
    END;
}
