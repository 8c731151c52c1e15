/* trap: only every other rank, or iteration
 * expect: any; unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    if (rank % 2 == 0)
        WRITE_BLOCK(rank * S);
    for (int i = 0; i < 4; i++)
        if (i & 1)
            WRITE_BLOCK((i * nprocs + rank) * S);
    if (rank)
        WRITE_BLOCK(rank * S);
    END;
}
