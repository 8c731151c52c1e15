/* trap: the inner loop's bound and the size depend on the outer loop
 *
 * args: 4
 * symbols: n=4
 * expect: unresolved
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
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            MPI_File_write_at(fh, ((MPI_Offset)(i * n + j) * nprocs + rank) * S, b, S,
                              MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, ((MPI_Offset)i * nprocs + rank) * S, b, i + 1, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
