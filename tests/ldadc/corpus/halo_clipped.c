/* Like halo, but the first and the last rank have a neighbour less.
 *
 * trap: the first and the last rank differ from the others
 * args: 3
 * symbols: rows=3
 * args: 1
 * symbols: rows=1
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define W 8

int main(int argc, char **argv)
{
    int rank, nprocs, rows;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    rows = atoi(argv[2]);
    char *slab = calloc(rows + 2, W);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    int first = rank * rows, count = rows;
    if (rank > 0) {
        first--;
        count++;
    }
    if (rank < nprocs - 1)
        count++;
    MPI_File_read_at(fh, first * W, slab, count * W, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(slab);
    MPI_Finalize();
    return 0;
}
