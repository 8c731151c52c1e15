/* trap: the number of arguments, the length of a name, the size of a pointer
 *
 * args: 3
 * symbols: argc=3
 * expect: any
 * expect: unresolved
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "", *p = b;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, argc * 100 + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, strlen(argv[1]) * (rank + 1) * S, b, S - 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * S, p, sizeof p, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
