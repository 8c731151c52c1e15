/* trap: the shared file pointer, and ordered calls
 *
 * expect: unresolved
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#define S 16

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
    MPI_File_write_shared(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(fh, b, S / (rank + 1), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
