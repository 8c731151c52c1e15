/* trap: the offset's bytes are written through a pointer to char, and by memset
 *
 * expect: unresolved
 * expect: any
 */
#include <mpi.h>
#include <string.h>
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
    MPI_Offset off = rank * S;
    ((char *)&off)[1] = 1 + 0 * nprocs;
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    off = 777 + rank;
    memset(&off, 0, sizeof off);
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
