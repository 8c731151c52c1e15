/* trap: offsets through floating-point numbers
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((MPI_Offset)(i * 1.5) * nprocs * S + rank * S);
    double at = rank * 10.7;
    WRITE_BLOCK(at);
    END;
}
