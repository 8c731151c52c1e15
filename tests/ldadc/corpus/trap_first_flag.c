/* trap: a flag that holds in the first iteration only
 * expect: unresolved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int first = 1;
    START_B;
    for (int i = 0; i < 3; i++) {
        if (first)
            WRITE_BLOCK(9000 + rank * S);
        first = 0;
        WRITE_BLOCK((i * nprocs + rank) * S);
    }
    END;
}
