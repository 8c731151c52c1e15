/* trap: offsets and counts from tables
 * expect: unresolved; unresolved */
#include "corpus.h"

static const int table[] = {7, 0, 3, 1};
static int lengths[4] = {4, 8, 2, 16};

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((table[i] * nprocs + rank) * S);
    WRITE_BYTES(rank * S, b, lengths[rank % 4]);
    END;
}
