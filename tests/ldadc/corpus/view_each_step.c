/* A view for each step, then a write at its beginning.
 *
 * args: 3
 * symbols: n=3
 * args: 1
 * symbols: n=1
 * expect: resolved interleaved
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
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++) {
        MPI_File_set_view(fh, ((MPI_Offset)i * nprocs + rank) * S, MPI_BYTE, MPI_BYTE,
                          "native", MPI_INFO_NULL);
        MPI_File_write_all(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
