/* trap: parameters and results are narrower than what is given for them
 * expect: unresolved; unresolved */
#include "corpus.h"

static void put(MPI_File fh, unsigned short at, const char *b)
{
    WRITE_BLOCK(at);
}

static unsigned char low(int x)
{
    return x;
}

int main(int argc, char **argv)
{
    START_B;
    put(fh, 65500 + rank * 30, b);
    WRITE_BYTES(low(200 + rank * 30), b, S - 0 * nprocs);
    END;
}
