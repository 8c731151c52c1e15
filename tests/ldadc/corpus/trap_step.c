/* trap: the loop's step is changed, or its sign is not known
 * args: 2; -2
 * symbols: step=2; step=-2
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int step = atoi(argv[2]);
    for (int i = 4, turns = 0; i >= 0 && i < 9 && turns < 9; i += step, turns++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
