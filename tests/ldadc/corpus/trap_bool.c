/* trap: a boolean is 0 or 1, whatever it is set to
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdbool.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    bool other = rank;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, other * 640 + 0 * nprocs, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (rank > 1) * 640 + !rank * 64, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
