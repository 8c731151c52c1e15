/* The pointer skips the other ranks' blocks.
 * args: 3; 1
 * symbols: n=3; n=1
 * expect: resolved interleaved */
#include "corpus.h"
#define B 128

int main(int argc, char **argv)
{
    int n;
    char buf[B] = "";
    START;
    n = atoi(argv[2]);
    MPI_File_seek(fh, rank * B, MPI_SEEK_SET);
    for (int i = 0; i < n; i++) {
        MPI_File_write(fh, buf, B, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_seek(fh, (nprocs - 1) * B, MPI_SEEK_CUR);
    }
    END;
}
