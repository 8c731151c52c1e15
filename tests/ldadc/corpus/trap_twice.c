/* trap: one variable is set twice from the command line
 * args: 3 5; 6 2
 * symbols: n=3 n_2=5; n=6 n_2=2
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    n = atoi(argv[3]);
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
