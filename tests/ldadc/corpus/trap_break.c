/* trap: break
 * args: 10 3; 2 3
 * symbols: n=10 stop=3; n=2 stop=3
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]), stop = atoi(argv[3]);
    for (int i = 0; i < n; i++) {
        if (i == stop * rank)
            break;
        WRITE_BLOCK((i * nprocs + rank) * S);
    }
    END;
}
