/* Statement expressions, variable length arrays, typeof, ranges, nested functions.
 *
 * args: 3
 * symbols: n=3
 * args: 6
 * symbols: n=6
 * expect: resolved interleaved
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>
#define MAX(a, b)                                                                      \
    ({                                                                                 \
        __typeof__(a) a_ = (a);                                                        \
        __typeof__(b) b_ = (b);                                                        \
        a_ > b_ ? a_ : b_;                                                             \
    })

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    char buf[MAX(n, 1) * 10];
    for (int i = 0; i < (int)sizeof buf; i++)
        buf[i] = 0;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (__typeof__(n) i = 0; i < n; i++)
        MPI_File_write_at(fh, ({
                              MPI_Offset at = i * nprocs + rank;
                              at * 10;
                          }),
                          buf, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 20, buf, 2 * MAX(4, 10), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
