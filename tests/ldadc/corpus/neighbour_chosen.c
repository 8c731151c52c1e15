/* Neighbours in a ring, told by comparing the rank with the first and the last one.
 *
 * args: 20
 * symbols: n=20
 * args: 1
 * symbols: n=1
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]), left = rank == 0 ? nprocs - 1 : rank - 1,
        right = rank == nprocs - 1 ? 0 : rank + 1;
    char *buf = calloc(n, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    left = rank - 1;
    if (left < 0)
        left = nprocs - 1;
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    right = rank + 1;
    if (right == nprocs)
        right = 0;
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    left = (rank > 0) ? rank - 1 : nprocs - 1;
    MPI_File_write_at(fh, (MPI_Offset)left * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank < nprocs - 1)
        right = rank + 1;
    else
        right = 0;
    MPI_File_write_at(fh, (MPI_Offset)right * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
