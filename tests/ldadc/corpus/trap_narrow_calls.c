/* trap: parameters and results are narrower than what is given for them
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

static void put(MPI_File fh, unsigned short at, const char *b)
{
    MPI_File_write_at(fh, at, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

static unsigned char low(int x)
{
    return x;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    put(fh, 65500 + rank * 30, b);
    MPI_File_write_at(fh, low(200 + rank * 30), b, S - 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
