/* trap: as many as were received, or read
 *
 * expect: resolved overlapped
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int got = S;
    MPI_Status status;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, 10);
    MPI_File_read_at(fh, 0, b, S, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at(fh, 100 + rank * S, b, got, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
