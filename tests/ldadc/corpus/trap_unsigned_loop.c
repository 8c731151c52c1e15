/* trap: a comparison of a signed with an unsigned number is unsigned
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    unsigned limit = 3;
    for (int i = rank - 2; (unsigned)i < limit; i++)
        WRITE_BLOCK((i + 5) * S);
    if ((unsigned)(rank - 1) > 1u)
        WRITE_BYTES(rank * S, b, S - 0 * nprocs);
    END;
}
