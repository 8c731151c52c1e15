/* a function of the program whose name begins as those of MPI do
 *
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#define S 16

static void MPI_Put_row(MPI_File fh, char *b, int rank)
{
    MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

int MPI_Get_row(MPI_File fh, char *b, int rank);

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
    MPI_Put_row(fh, b, rank);
    MPI_Get_row(fh, b, rank);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}

int MPI_Get_row(MPI_File fh, char *b, int rank)
{
    return MPI_File_read_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}
