/* Loops in other forms: down, while, by two, to and with the last.
 * args: 5; 0
 * symbols: n=5; n=0
 * expect: resolved interleaved; resolved interleaved; resolved disjoint
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int n, i;
    char b[8] = "";
    START;
    n = atoi(argv[2]);
    for (i = n - 1; i >= 0; i--)
        WRITE_BYTES((i * nprocs + rank) * 8, b, 8);
    i = 0;
    while (i < n) {
        WRITE_BYTES((i * nprocs + rank) * 8, b, 8);
        i++;
    }
    for (i = 1; i <= 2 * n; i += 2)
        WRITE_BYTES((i * nprocs + rank) * 8, b, 8);
    for (i = 0; i != n; ++i)
        WRITE_BYTES((i * nprocs + rank) * 8, b, 8);
    END;
}
