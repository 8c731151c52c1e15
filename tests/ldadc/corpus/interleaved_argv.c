/* Counts and sizes from the command line.
 * args: 3 100; 1 7; 0 8
 * symbols: K=3 chunk=100; K=1 chunk=7; K=0 chunk=8
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    long long K = atoll(argv[2]);
    int chunk = atoi(argv[3]);
    char *buf = calloc(chunk, 1);
    for (long long i = 0; i < K; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * chunk, buf, chunk, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long long i = 0; i < K; i++)
        MPI_File_read_at(fh, (i * nprocs + rank) * chunk, buf, chunk, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    free(buf);
    END;
}
