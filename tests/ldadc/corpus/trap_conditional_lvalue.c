/* trap: which variable is set depends on the rank
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset one = rank * S, two = 0;
    *(rank % 2 ? &one : &two) = 4096;
    WRITE_BYTES(one + 0 * two, b, S - 0 * nprocs);
    END;
}
