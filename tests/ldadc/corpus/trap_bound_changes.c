/* trap: the loop's bound changes in its body
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        if (i == 1)
            n += 2;
    }
    END;
}
