/* trap: a size with a unit, as programs read it
 *
 * args: 2k
 * symbols: size=2048 n=2048
 * args: 96
 * symbols: size=96 n=96
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>

static long long parse(const char *text)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    switch (*end) {
    case 'm':
        n *= 1024; /* fall through */
    case 'k':
        n *= 1024;
    }
    return n;
}

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    long long size = parse(argv[2]);
    char *b = calloc(size, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * size, b, size, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    free(b);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
