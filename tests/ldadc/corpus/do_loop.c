/* The body of a do loop is gone through once at least.
 * trap: a do loop whose condition does not hold at first
 * args: 3; 0
 * symbols: n=3; n=0
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int i = 0;
    char b[8] = "";
    START;
    int n = atoi(argv[2]);
    do {
        WRITE_BYTES((i * nprocs + rank) * 8, b, 8);
    } while (++i < n);
    END;
}
