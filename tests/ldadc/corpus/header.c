/* Rank 0 writes a header, then all write behind it.
 *
 * expect: resolved alone
 * expect: resolved segmented
 */
#include <mpi.h>
#define HEAD 512

int main(int argc, char **argv)
{
    char head[HEAD] = "", body[100] = "";
    int rank;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    if (rank == 0)
        MPI_File_write_at(fh, 0, head, HEAD, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(fh, HEAD + rank * 100, body, 100, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
