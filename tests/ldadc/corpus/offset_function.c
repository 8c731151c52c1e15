/* A block's offset is computed by one function and stored by another.
 *
 * args: 3
 * symbols: n=3
 * args: 7
 * symbols: n=7
 * expect: resolved interleaved
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>
#define B 16

static inline MPI_Offset interleaved(int i, int rank, int nprocs)
{
    const MPI_Offset slot = (MPI_Offset)i * nprocs + rank;
    return slot * B;
}

static void slab(int rank, int blocks, MPI_Offset *start, int *bytes)
{
    *bytes = blocks * B;
    *start = (MPI_Offset)rank * *bytes;
}

int main(int argc, char **argv)
{
    int rank, nprocs, bytes, n;
    MPI_Offset start;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    n = atoi(argv[2]);
    char *buf = calloc(n, B);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        MPI_File_write_at(fh, interleaved(i, rank, nprocs), buf, B, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    slab(rank, n, &start, &bytes);
    MPI_File_read_at(fh, start, buf, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
