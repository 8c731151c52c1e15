/* A seek for each row, then its pieces one after the other.
 * args: 2 3; 3 1
 * symbols: rows=2 pieces=3; rows=3 pieces=1
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int rows = atoi(argv[2]), pieces = atoi(argv[3]);
    for (int r = 0; r < rows; r++) {
        MPI_File_seek(fh, (MPI_Offset)(r * nprocs + rank) * pieces * S, MPI_SEEK_SET);
        for (int p = 0; p < pieces; p++)
            MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    END;
}
