/* trap: blocks dealt out round and round: the rank's turn is a remainder
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 5; i++)
        WRITE_BLOCK((i * nprocs + (rank + i) % nprocs) * S);
    for (int i = 0; i < 6; i++)
        WRITE_BLOCK((i / 2 * nprocs + rank) * 2 * S + i % 2 * S);
    END;
}
