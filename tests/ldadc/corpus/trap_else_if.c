/* trap: what each rank does differs
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    if (rank == 0)
        WRITE_BLOCK(0);
    else if (rank == 1)
        WRITE_BYTES(S, b, S / 2);
    else
        WRITE_BYTES(rank * S, b, S / 4 + 0 * nprocs);
    END;
}
