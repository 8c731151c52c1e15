/* trap: half of the ranks open a file of their own; rank is reused for its ranks
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdio.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    MPI_Comm half;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int world = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank % 2);
    MPI_File_open(half, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &nprocs);
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, world * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
