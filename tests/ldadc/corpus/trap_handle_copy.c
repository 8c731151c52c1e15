/* trap: a copy of a handle moves the same pointer
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

static void skip(MPI_File other)
{
    MPI_File_seek(other, 100, MPI_SEEK_CUR);
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
    MPI_File copy = fh;
    MPI_File_seek(copy, rank * 300, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    skip(copy);
    MPI_File_write(fh, b, S - nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
