/* The body of a do loop is gone through once at least.
 *
 * trap: a do loop whose condition does not hold at first
 * args: 3
 * symbols: n=3
 * args: 0
 * symbols: n=0
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs, i = 0;
    char b[8] = "";
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    do {
        MPI_File_write_at(fh, (i * nprocs + rank) * 8, b, 8, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    } while (++i < n);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
