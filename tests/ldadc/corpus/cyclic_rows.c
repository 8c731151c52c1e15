/* Rows are dealt out: the loop begins at the rank and steps by the ranks.
 *
 * args: 10 48
 * symbols: height=10 width=48
 * args: 3 48
 * symbols: height=3 width=48
 * args: 2 5
 * symbols: height=2 width=5
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>

static int height, width;

int main(int argc, char **argv)
{
    int rank, nprocs, row;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    height = atoi(argv[2]);
    width = atoi(argv[3]);
    char *buf = calloc(width, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (row = rank; row < height; row += nprocs)
        MPI_File_write_at(fh, (MPI_Offset)row * width, buf, width, MPI_UNSIGNED_CHAR,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
