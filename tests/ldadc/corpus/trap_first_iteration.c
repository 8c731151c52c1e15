/* trap: the first iteration does more, the last one less
 *
 * args: 4
 * symbols: n=4
 * args: 1
 * symbols: n=1
 * expect: unresolved
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
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++) {
        if (i == 0)
            MPI_File_write_at(fh, rank, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_write_at(fh, 64 + (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        if (i < n - 1)
            MPI_File_write_at(fh, 4096 + (i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
