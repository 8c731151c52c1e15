/* trap: the offset runs by as much as a call says that it has written
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int count;
    MPI_Status status;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Offset off = rank * 200;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, off, b, S - i * nprocs, MPI_BYTE, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        off += count;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
