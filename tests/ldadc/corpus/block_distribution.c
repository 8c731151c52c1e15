/* Each rank takes its share of n records, the last ones perhaps less.
 *
 * trap: shares that are rounded up
 * args: 10
 * symbols: n=10
 * args: 8
 * symbols: n=8
 * args: 2
 * symbols: n=2
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    int share = (n + nprocs - 1) / nprocs;
    int low = rank * share, high = low + share;
    if (high > n)
        high = n;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = low; i < high; i++)
        MPI_File_write_at(fh, (MPI_Offset)i * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
