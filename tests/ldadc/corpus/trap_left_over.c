/* trap: a loop that takes away until nothing is left
 *
 * args: 100
 * symbols: bytes=100 left=100
 * args: 64
 * symbols: bytes=64 left=64
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 32

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    long bytes = atol(argv[2]), left = bytes;
    MPI_Offset off = rank * bytes;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    while (left > 0) {
        int now = left > S ? S : left;
        MPI_File_write_at(fh, off, b, now + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        off += now;
        left -= now;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
