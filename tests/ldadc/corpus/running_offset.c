/* The offset runs along.
 *
 * args: 4
 * symbols: n=4
 * args: 0
 * symbols: n=0
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs, n, chunk = 96;
    char buf[96] = {0};
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_Offset off = rank * chunk;
    for (int i = 0; i < n; i++) {
        MPI_File_write_at(fh, off, buf, chunk, MPI_CHAR, MPI_STATUS_IGNORE);
        off += nprocs * chunk;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
