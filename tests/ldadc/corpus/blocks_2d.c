/* A slab of each step for each rank: two loops.
 *
 * args: 3 4
 * symbols: steps=3 rows=4
 * args: 1 5
 * symbols: steps=1 rows=5
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>
#define ROW 40

int main(int argc, char **argv)
{
    int rank, nprocs, s, r;
    double row[ROW / 8] = {0};
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    const int steps = atoi(argv[2]), rows = atoi(argv[3]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (s = 0; s < steps; s++)
        for (r = 0; r < rows; r++) {
            MPI_Offset at = ((MPI_Offset)(s * nprocs + rank) * rows + r) * ROW;
            MPI_File_write_at(fh, at, row, ROW / sizeof *row, MPI_DOUBLE,
                              MPI_STATUS_IGNORE);
        }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
