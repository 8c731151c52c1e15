/* trap: goto jumps over the assignment
 * args: 1; 9
 * symbols: n=1; n=9
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    MPI_Offset off = rank * S;
    if (n > 5)
        goto put;
    off += 640;
put:
    WRITE_BLOCK(off);
    END;
}
