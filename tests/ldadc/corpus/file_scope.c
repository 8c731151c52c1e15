/* Variables of the file, set once from the command line.
 * args: 4 32; 1 9
 * symbols: blocks=4 block=32; blocks=1 block=9
 * expect: resolved interleaved */
#include <mpi.h>
#include <stdlib.h>

static int nprocs, rank, blocks = 1;
static long block;
static char *path;

static void parse(char **argv)
{
    path = argv[1];
    blocks = (int)strtol(argv[2], NULL, 10);
    block = strtol(argv[3], NULL, 0);
}

static void write_all(void)
{
    char *buf = calloc(block, 1);
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < blocks; i++)
        MPI_File_write_at(fh, ((MPI_Offset)i * nprocs + rank) * block, buf, block,
                          MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    parse(argv);
    write_all();
    MPI_Finalize();
    return 0;
}
