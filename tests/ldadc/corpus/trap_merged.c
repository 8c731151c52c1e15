/* trap: values that depend on the command line: the same on all ranks, and not
 *
 * args: 1 0
 * symbols: slabs=1 second=0 x=100 x_2=100
 * args: 0 1
 * symbols: slabs=0 second=1 x=200 x_2=300
 * expect: any
 * expect: any
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
    int slabs = atoi(argv[2]), second = atoi(argv[3]), x;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (slabs)
        x = 100;
    else
        x = 200;
    MPI_File_write_at(fh, x + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (second)
        x = 300;
    MPI_File_write_at(fh, x + rank * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    if (slabs)
        x = rank * 64;
    else
        x = rank * 1000;
    MPI_File_write_at(fh, x, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
