/* trap: some ranks take no part, and the others count themselves
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int writers = nprocs > 2 ? 2 : nprocs;
    if (rank < writers)
        for (int i = 0; i < 3; i++)
            WRITE_BLOCK((i * writers + rank) * S);
    if (rank >= 1 && rank <= 2)
        WRITE_BLOCK(rank * S + 1000);
    END;
}
