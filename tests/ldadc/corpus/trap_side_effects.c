/* trap: side effects in conditions, arguments and comma operators
 *
 * args: 4
 * symbols: n=4
 * args: 1
 * symbols: n=1
 * expect: any
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int i = 0, j;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    while (i++ < n)
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Offset off = rank * S;
    for (j = 0; j < n; j++)
        MPI_File_write_at(fh, (off += nprocs * S, off - S), b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    off = rank;
    for (i = 0, j = n; i < j; i++, j--)
        MPI_File_write_at(fh, S * off++, b, i + 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
