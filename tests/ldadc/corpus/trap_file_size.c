/* trap: the file's size, and a position that is asked for
 *
 * expect: unresolved
 * expect: any
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
    MPI_Offset size = 0, here = 0;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, 300);
    MPI_File_get_size(fh, &size);
    MPI_File_write_at(fh, size + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * 7, MPI_SEEK_SET);
    MPI_File_write(fh, b, 7, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_get_position(fh, &here);
    MPI_File_write_at(fh, here + 500, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
