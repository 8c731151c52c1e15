/* Loops without an end that are left where there is nothing more to do.
 *
 * args: 5
 * symbols: n=5
 * args: 0
 * symbols: n=0
 * expect: any
 * expect: resolved interleaved
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
    int n = atoi(argv[2]), k = 0;
    MPI_Offset at = rank * S, end = (MPI_Offset)n * nprocs * S;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    while (1) {
        if (at >= end)
            break;
        MPI_File_write_at(fh, at, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        at += nprocs * S;
    }
    for (;;) {
        MPI_File_write_at(fh, 100000 + (k * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        if (k == n)
            break;
        k++;
    }
    MPI_File_write_at(fh, 200000 + k * nprocs * S + rank * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
