/* The offset is increased before it is used, and once more after the loop.
 *
 * trap: the value after the increment, and after the loop
 * args: 3
 * symbols: n=3
 * args: 0
 * symbols: n=0
 * expect: resolved interleaved
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    char buf[64] = {0};
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_Offset off = rank * 64;
    for (int i = 0; i < n; i++) {
        off += 64 * nprocs;
        MPI_File_write_at(fh, off, buf, 64, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    off += 64 * nprocs;
    for (int i = 0; i < 2; i++, off += 64 * nprocs)
        MPI_File_write_at(fh, off, buf, 64, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
