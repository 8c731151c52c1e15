/* trap: the inner loop's variable is not set back, so only the outer's first iteration
 * does anything
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int k = 0;
    START_B;
    for (int i = 0; i < 3; i++)
        for (; k < 4; k++)
            WRITE_BLOCK((k * nprocs + rank) * S);
    END;
}
