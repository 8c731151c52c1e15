/* trap: an argument that rank 0 alone reads, and changes before the others get it
 *
 * args: 3
 * symbols: n=3 n_2=7
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int n = 0;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    if (rank == 0) {
        n = atoi(argv[2]);
        n = n * 2 + 1;
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
