/* trap: a loop of goto
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0;
    START_B;
again:
    WRITE_BLOCK((i * nprocs + rank) * S);
    if (++i < 3 + rank)
        goto again;
    END;
}
