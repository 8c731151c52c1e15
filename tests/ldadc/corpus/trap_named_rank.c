/* trap: a variable called rank that is not the rank, and a size called nprocs
 * args: 3; 1
 * symbols: nprocs=3; nprocs=1
 * expect: any */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank = 0, me;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int nprocs = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * S + me * 1000, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
