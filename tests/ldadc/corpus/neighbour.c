/* Each rank reads back what the next one wrote.
 *
 * args: 20
 * symbols: n=20
 * args: 1
 * symbols: n=1
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
    int n = atoi(argv[2]), next = (rank + 1) % nprocs;
    double *buf = calloc(n, sizeof *buf);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)rank * n * sizeof(double), buf, n, MPI_DOUBLE,
                      MPI_STATUS_IGNORE);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, (MPI_Offset)next * n * sizeof(double), buf, n, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
    int other = (rank - 1 + nprocs) % nprocs;
    MPI_File_read_at(fh, (MPI_Offset)other * n * sizeof(double), buf, n, MPI_DOUBLE,
                     MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
