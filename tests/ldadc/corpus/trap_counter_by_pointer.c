/* trap: the loop's variable is changed by a function that is given its address
 * expect: unresolved */
#include "corpus.h"

static void skip(int *i)
{
    if (*i == 2)
        *i += 3;
}

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 9; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        skip(&i);
    }
    END;
}
