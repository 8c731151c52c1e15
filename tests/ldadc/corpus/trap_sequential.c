/* trap: a file that is read in sequence, where the individual file pointer is forbidden
 *
 * expect: unresolved
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    char b[2] = "";
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
                  MPI_INFO_NULL, &fh);
    MPI_File_write(fh, b, 2, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
