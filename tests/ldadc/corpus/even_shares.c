/* Shares by the products' quotients: each record belongs to one rank.
 *
 * trap: quotients in the loop's bounds
 * args: 10
 * symbols: n=10
 * args: 3
 * symbols: n=3
 * expect: any
 * expect: any
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
    for (int i = rank * n / nprocs; i < (rank + 1) * n / nprocs; i++)
        MPI_File_write_at(fh, i * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < n / nprocs; i++)
        MPI_File_write_at(fh, (rank * (n / nprocs) + i) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
