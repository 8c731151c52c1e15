/* trap: two offsets change places in each iteration
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset one = rank * S, two = 1000 + rank * S, other;
    for (int i = 0; i < 3; i++) {
        WRITE_BYTES(one, b, S - 0 * nprocs);
        other = one;
        one = two;
        two = other;
    }
    END;
}
