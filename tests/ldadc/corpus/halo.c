/* Slabs are read with a row more on each side.
 * args: 4 10; 1 3
 * symbols: rows=4 width=10; rows=1 width=3
 * expect: resolved segmented; resolved halo */
#include "corpus.h"

int main(int argc, char **argv)
{
    int rows, width;
    START;
    rows = atoi(argv[2]);
    width = atoi(argv[3]);
    char *slab = calloc((rows + 2) * width, 1);
    /* a row of zeros before the first slab */
    WRITE_BYTES((MPI_Offset)(1 + rank * rows) * width, slab, rows * width);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, (MPI_Offset)rank * rows * width, slab, (rows + 2) * width,
                     MPI_BYTE, MPI_STATUS_IGNORE);
    free(slab);
    END;
}
