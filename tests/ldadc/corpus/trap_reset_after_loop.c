/* trap: the variable gets its value from after the loop when it goes round again
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset base = 0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 2; i++)
            WRITE_BLOCK(base + (i * nprocs + rank) * S);
        base = 4000;
    }
    END;
}
