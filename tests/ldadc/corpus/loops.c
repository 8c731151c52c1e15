/* Loops in other forms: down, while, by two, to and with the last.
 *
 * args: 5
 * symbols: n=5
 * args: 0
 * symbols: n=0
 * expect: resolved interleaved
 * expect: resolved interleaved
 * expect: resolved disjoint
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs, n, i;
    char b[8] = "";
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (i = n - 1; i >= 0; i--)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    i = 0;
    while (i < n) {
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        i++;
    }
    for (i = 1; i <= 2 * n; i += 2)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    for (i = 0; i != n; ++i)
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
