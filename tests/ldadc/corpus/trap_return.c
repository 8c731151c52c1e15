/* trap: a function that returns early from its loop
 *
 * args: 5
 * symbols: n=5
 * args: 1
 * symbols: n=1
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

static int put_all(MPI_File fh, int n, int rank, int nprocs)
{
    char b[S] = "";
    for (int i = 0; i < n; i++) {
        if (i > 1 + rank)
            return i;
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    }
    return n;
}

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    put_all(fh, atoi(argv[2]), rank, nprocs);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
