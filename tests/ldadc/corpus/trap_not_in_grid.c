/* trap: what only those ranks do that a communicator leaves out
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm grid;
    int size = (nprocs + 1) / 2, round = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &grid);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (grid == MPI_COMM_NULL)
        MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
