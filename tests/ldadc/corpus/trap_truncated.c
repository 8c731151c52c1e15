/* trap: division and remainder of negative numbers go towards zero
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int pair = (rank - 3) / 2;
    WRITE_BLOCK((pair + 4) * S);
    int other = (rank - 3) % 2;
    WRITE_BLOCK((other * nprocs + 40 + rank) * S);
    END;
}
