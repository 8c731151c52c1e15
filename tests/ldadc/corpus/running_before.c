/* The offset is increased before it is used, and once more after the loop.
 * trap: the value after the increment, and after the loop
 * args: 3; 0
 * symbols: n=3; n=0
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char buf[64] = {0};
    START;
    int n = atoi(argv[2]);
    MPI_Offset off = rank * 64;
    for (int i = 0; i < n; i++) {
        off += 64 * nprocs;
        MPI_File_write_at(fh, off, buf, 64, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    off += 64 * nprocs;
    for (int i = 0; i < 2; i++, off += 64 * nprocs)
        MPI_File_write_at(fh, off, buf, 64, MPI_CHAR, MPI_STATUS_IGNORE);
    END;
}
