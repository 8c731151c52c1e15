/* trap: a macro means something else further down
 *
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#define S 16
#define AT (rank * S)

int main(int argc, char **argv)
{
    char b[64] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, AT, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
#undef S
#define S 48
    MPI_File_write_at(fh, AT, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
