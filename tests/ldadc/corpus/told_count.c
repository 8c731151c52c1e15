/* rank 0 finds numbers and tells the others
 *
 * args: 3
 * symbols: n=7 p_rows=5
 * expect: resolved interleaved
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    struct {
        int rows;
        double scale;
    } p = {0, 0};
    int n = 0;
    if (rank == 0) {
        n = atoi(argv[2]) * 2 + 1;
        p.rows = n - 2;
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    for (int i = 0; i < p.rows; i++)
        MPI_File_read_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
