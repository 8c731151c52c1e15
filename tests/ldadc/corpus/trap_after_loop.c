/* trap: an assignment after the loop, within a loop around it
 *
 * expect: unresolved
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
    MPI_Offset off = rank * S;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 2; i++) {
            MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
            off += nprocs * S;
        }
        off = 1000 + j * j * 500 + rank * S;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
