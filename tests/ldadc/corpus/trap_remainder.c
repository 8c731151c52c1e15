/* trap: one rank too many gets one more; a remainder that no rank shares
 * args: 10; 4
 * symbols: n=10; n=4
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs;
    WRITE_BYTES(rank * q + (rank < m ? rank : m), b, q + (rank <= m));
    WRITE_BYTES(1000 + rank * q, b, q + (rank > m ? 1 : 2));
    END;
}
