/* trap: continue
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 6; i++) {
        if (i % 3 == 1)
            continue;
        WRITE_BLOCK((i * nprocs + rank) * S);
    }
    END;
}
