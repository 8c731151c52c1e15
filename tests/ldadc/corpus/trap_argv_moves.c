/* trap: the argument that is read is not the one it seems
 * args: 3 5
 * symbols: n=7
 * expect: any */
#include "corpus.h"

static int number(const char *text)
{
    return 2 * atoi(text) + 1;
}

int main(int argc, char **argv)
{
    START_B;
    int n = number(argv[2]);
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
