/* The call and the loop are in macros.
 * args: 3; 0
 * symbols: n=3; n=0
 * expect: resolved interleaved */
#include "corpus.h"
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define PUT(fh, at, buf, n)                                                            \
    MPI_File_write_at((fh), (at), (buf), (n), MPI_BYTE, MPI_STATUS_IGNORE)

int main(int argc, char **argv)
{
    int n;
    char buf[10] = "";
    MPI_File fh;
    BEGIN;
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    EACH(block, n)
    PUT(fh, (block * nprocs + rank) * 10, buf, 10);
    END;
}
