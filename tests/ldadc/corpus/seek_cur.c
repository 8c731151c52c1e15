/* The pointer skips the other ranks' blocks.
 *
 * args: 3
 * symbols: n=3
 * args: 1
 * symbols: n=1
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>
#define B 128

int main(int argc, char **argv)
{
    int rank, nprocs, n;
    char buf[B] = "";
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_seek(fh, rank * B, MPI_SEEK_SET);
    for (int i = 0; i < n; i++) {
        MPI_File_write(fh, buf, B, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_seek(fh, (nprocs - 1) * B, MPI_SEEK_CUR);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
