/* trap: break after the call
 * args: 5; 2
 * symbols: n=5; n=2
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        if (b[0] == 0 && i == 2)
            break;
    }
    END;
}
