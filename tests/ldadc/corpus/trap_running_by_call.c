/* trap: a function moves the offset on, through its parameter
 *
 * args: 3
 * symbols: n=3
 * args: 1
 * symbols: n=1
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

static void put(MPI_File fh, MPI_Offset *off, const char *b, int nprocs)
{
    MPI_File_write_at(fh, *off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    *off += nprocs * S;
}

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
    MPI_Offset off = rank * S;
    for (int i = 0; i < n; i++)
        put(fh, &off, b, nprocs);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
