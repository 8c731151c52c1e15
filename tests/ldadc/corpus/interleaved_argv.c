/* Counts and sizes from the command line.
 *
 * args: 3 100
 * symbols: K=3 chunk=100
 * args: 1 7
 * symbols: K=1 chunk=7
 * args: 0 8
 * symbols: K=0 chunk=8
 * expect: resolved interleaved
 * expect: resolved interleaved
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
    long long K = atoll(argv[2]);
    int chunk = atoi(argv[3]);
    char *buf = calloc(chunk, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (long long i = 0; i < K; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * chunk, buf, chunk, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long long i = 0; i < K; i++)
        MPI_File_read_at(fh, (i * nprocs + rank) * chunk, buf, chunk, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
