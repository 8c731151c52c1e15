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
    START;
    put(fh, 65500 + rank * 30, b);
    MPI_File_write_at(fh, low(200 + rank * 30), b, S - 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
