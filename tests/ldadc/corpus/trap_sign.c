/* trap: a named value may be negative, whatever its name promises
 * args: -2; 2
 * symbols: shift=-2; shift=2
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int shift = atoi(argv[2]);
    WRITE_BYTES((4 + rank) * S + shift / 2, b, S + 0 * nprocs);
    END;
}
