/* trap: a view that is only set on the command line's wish
 *
 * args: 0
 * symbols: doubles=0
 * args: 1
 * symbols: doubles=1
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>
#define N 4

int main(int argc, char **argv)
{
    double b[N] = {0};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int doubles = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (doubles)
        MPI_File_set_view(fh, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write_at(fh, rank * N, b, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
