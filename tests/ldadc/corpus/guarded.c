/* Some ranks transfer something, and others nothing.
 * expect: resolved segmented; any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int more = rank == nprocs - 1 ? 0 : 1;
    if (rank % 2 == 0)
        WRITE_BLOCK(rank * S);
    if (rank > 0)
        WRITE_BYTES(1000 + (rank - 1) * S, b, S * (1 + more));
    else if (nprocs > 2)
        WRITE_BLOCK(2000);
    for (int i = 0; i < 3; i++)
        if (rank < nprocs - 1)
            WRITE_BLOCK(3000 + (i * nprocs + rank) * S);
    END;
}
