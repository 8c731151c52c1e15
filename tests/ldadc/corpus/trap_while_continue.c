/* trap: continue jumps over the increment at a while loop's end
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0, turns = 0;
    START_B;
    while (i < 4) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        if (turns++ % 2)
            continue;
        i++;
    }
    END;
}
