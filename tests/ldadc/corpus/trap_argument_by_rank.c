/* trap: which argument is read depends on the rank, or on the iteration
 *
 * args: 3 5 2 7
 * symbols: n=3 size=3
 * expect: unresolved
 * expect: unresolved
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
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    int n = atoi(argv[2 + rank % 4]);
    MPI_File_write_at(fh, n * 100, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++) {
        int size = atoi(argv[2 + i]);
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, size, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
