/* A square of ranks, by the square root of their number.
 * expect: any; any */
#include "corpus.h"
#include <math.h>

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int side = (int)sqrt(nprocs);
    OPEN;
    WRITE_BLOCK((rank / side * 1000 + rank % side) * S);
    WRITE_BLOCK(100000 + (rank + side) * S);
    END;
}
