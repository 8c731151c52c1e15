/* Rows are dealt out: the loop begins at the rank and steps by the ranks.
 * args: 10 48; 3 48; 2 5
 * symbols: height=10 width=48; height=3 width=48; height=2 width=5
 * expect: resolved interleaved */
#include "corpus.h"

static int height, width;

int main(int argc, char **argv)
{
    int row;
    START;
    height = atoi(argv[2]);
    width = atoi(argv[3]);
    char *buf = calloc(width, 1);
    for (row = rank; row < height; row += nprocs)
        MPI_File_write_at(fh, (MPI_Offset)row * width, buf, width, MPI_UNSIGNED_CHAR,
                          MPI_STATUS_IGNORE);
    free(buf);
    END;
}
