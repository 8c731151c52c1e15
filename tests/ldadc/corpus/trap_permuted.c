/* trap: the rank variable is taken from a table
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int order[64];
    START_B;
    for (int r = 0; r < nprocs && r < 64; r++)
        order[r] = r % 2 ? r / 2 : nprocs - 1 - r / 2;
    rank = order[rank];
    WRITE_BLOCK(rank * S);
    END;
}
