/* trap: loops as long as the rank, or as what is left of the ranks
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < rank; i++)
        WRITE_BLOCK((rank * nprocs + i) * S);
    for (int i = nprocs; i > rank; i -= 2)
        WRITE_BLOCK((rank * (nprocs + 1) + i) * S);
    END;
}
