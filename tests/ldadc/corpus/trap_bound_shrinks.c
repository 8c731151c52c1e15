/* trap: the loop's bound is a variable of the file that a called function changes
 * args: 6
 * symbols: left=6
 * expect: any */
#include "corpus.h"

static int left;

static void took(void)
{
    left--;
}

int main(int argc, char **argv)
{
    START_B;
    left = atoi(argv[2]);
    for (int i = 0; i < left; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        took();
    }
    END;
}
