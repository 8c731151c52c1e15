/* A block's offset is computed by one function and stored by another.
 * args: 3; 7
 * symbols: n=3; n=7
 * expect: resolved interleaved; resolved segmented */
#include "corpus.h"
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
    int bytes, n;
    MPI_Offset start;
    START;
    n = atoi(argv[2]);
    char *buf = calloc(n, B);
    for (int i = 0; i < n; i++)
        WRITE_BYTES(interleaved(i, rank, nprocs), buf, B);
    slab(rank, n, &start, &bytes);
    MPI_File_read_at(fh, start, buf, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    free(buf);
    END;
}
