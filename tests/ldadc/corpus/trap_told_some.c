/* trap: numbers that only a part of the ranks is told, or a part of a variable
 *
 * expect: unresolved
 * expect: unresolved
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
    MPI_Comm half;
    int n = rank / 2, m = rank;
    long long wide = (long long)rank << 32;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Bcast(&n, 1, MPI_INT, 0, half);
    if (rank == 0)
        MPI_Bcast(&m, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Bcast(&wide, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, n * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, m * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, wide / 65536 / 65536 * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
