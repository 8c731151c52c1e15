/* trap: two calls on one line
 *
 * expect: any
 */
#include <mpi.h>
#define S 16
#define BOTH(i)                                                                        \
    MPI_File_write_at(fh, (i)*S, b, S, MPI_BYTE, MPI_STATUS_IGNORE),                   \
        MPI_File_write_at(fh, (i)*S + 4000, b, S / 2, MPI_BYTE, MPI_STATUS_IGNORE)

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
    for (int i = 0; i < 2; i++)
        BOTH(i * nprocs + rank);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
