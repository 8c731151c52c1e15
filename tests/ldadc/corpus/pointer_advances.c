/* One seek, then records one after the other.
 *
 * args: 5
 * symbols: n=5
 * args: 1
 * symbols: n=1
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n, head[4] = {0};
    double record[3] = {0};
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_seek(fh, (MPI_Offset)rank * (16 + n * 24), MPI_SEEK_SET);
    MPI_File_write(fh, head, 4, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_File_write(fh, record, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
