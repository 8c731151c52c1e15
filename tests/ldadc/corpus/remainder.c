/* Blocks whose sizes have a remainder, in five ways to write it.
 * args: 10; 3; 0
 * symbols: n=10; n=3; n=0
 * expect: resolved segmented; resolved segmented; resolved segmented; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs, start, length;
    WRITE_BYTES(rank * q + (rank < m ? rank : m), b, q + (rank < m));
    if (rank < m) {
        length = q + 1;
        start = rank * length;
    } else {
        length = q;
        start = rank * q + m;
    }
    WRITE_BYTES(1000 + start, b, length);
    start = rank * n / nprocs;
    length = (rank + 1) * n / nprocs - start;
    WRITE_BYTES(2000 + start, b, length);
    int block = (n + nprocs - 1) / nprocs, low = rank * block, high = low + block;
    if (low > n)
        low = n;
    if (high > n)
        high = n;
    WRITE_BYTES(3000 + low, b, high - low);
    length = rank == nprocs - 1 ? n - rank * q : q;
    WRITE_BYTES(4000 + rank * q, b, length);
    END;
}
