/* rank 0 makes a file by itself, then all ranks read it
 *
 * expect: resolved alone
 * expect: resolved segmented
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
    if (rank == 0) {
        MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &fh);
        MPI_File_write(fh, b, 8 * S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&fh);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_read_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
