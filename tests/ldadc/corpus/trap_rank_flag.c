/* trap: a variable holds what the rank is compared with
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int writer = rank < 2, last = rank == nprocs - 1;
    if (writer)
        WRITE_BLOCK(rank * S);
    if (last)
        WRITE_BLOCK(nprocs * S);
    END;
}
