/* Like halo, but the first and the last rank have a neighbour less.
 * trap: the first and the last rank differ from the others
 * args: 3; 1
 * symbols: rows=3; rows=1
 * expect: any */
#include "corpus.h"
#define W 8

int main(int argc, char **argv)
{
    int rows;
    START;
    rows = atoi(argv[2]);
    char *slab = calloc(rows + 2, W);
    int first = rank * rows, count = rows;
    if (rank > 0) {
        first--;
        count++;
    }
    if (rank < nprocs - 1)
        count++;
    MPI_File_read_at(fh, first * W, slab, count * W, MPI_BYTE, MPI_STATUS_IGNORE);
    free(slab);
    END;
}
