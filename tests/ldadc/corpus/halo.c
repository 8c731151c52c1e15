/* Slabs are read with a row more on each side.
 *
 * args: 4 10
 * symbols: rows=4 width=10
 * args: 1 3
 * symbols: rows=1 width=3
 * expect: resolved segmented
 * expect: resolved halo
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, rows, width;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rows = atoi(argv[2]);
    width = atoi(argv[3]);
    char *slab = calloc((rows + 2) * width, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    /* a row of zeros before the first slab */
    MPI_File_write_at(fh, (MPI_Offset)(1 + rank * rows) * width, slab, rows * width,
                      MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, (MPI_Offset)rank * rows * width, slab, (rows + 2) * width,
                     MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(slab);
    MPI_Finalize();
    return 0;
}
