/* The loop's variable is the offset itself.
 * args: 100; 96
 * symbols: total=100; total=96
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset total = atoll(argv[2]), off;
    for (off = (MPI_Offset)rank * S; off < total; off += (MPI_Offset)nprocs * S)
        WRITE_BLOCK(off);
    END;
}
