/* Blocks whose sizes have a remainder, in five ways to write it.
 *
 * args: 10
 * symbols: n=10
 * args: 3
 * symbols: n=3
 * args: 0
 * symbols: n=0
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs, start, length;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, rank * q + (rank < m ? rank : m), b, q + (rank < m), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    if (rank < m) {
        length = q + 1;
        start = rank * length;
    } else {
        length = q;
        start = rank * q + m;
    }
    MPI_File_write_at(fh, 1000 + start, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    start = rank * n / nprocs;
    length = (rank + 1) * n / nprocs - start;
    MPI_File_write_at(fh, 2000 + start, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    int block = (n + nprocs - 1) / nprocs, low = rank * block, high = low + block;
    if (low > n)
        low = n;
    if (high > n)
        high = n;
    MPI_File_write_at(fh, 3000 + low, b, high - low, MPI_BYTE, MPI_STATUS_IGNORE);
    length = rank == nprocs - 1 ? n - rank * q : q;
    MPI_File_write_at(fh, 4000 + rank * q, b, length, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
