/* trap: a pointer that is to one of two variables, depending on the rank
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset one = rank * S, two = (nprocs + rank) * S, *p;
    p = rank % 2 ? &one : &two;
    *p += 1000;
    WRITE_BLOCK(one);
    WRITE_BLOCK(two);
    END;
}
