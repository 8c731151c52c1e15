/* Collective, nonblocking and split calls with offsets.
 *
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>

enum { N = 80 };

int main(int argc, char **argv)
{
    int rank, buf[N] = {0};
    MPI_Offset off;
    MPI_File fh;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    off = (MPI_Offset)rank * N * sizeof(int);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at_all(fh, off, buf, N, MPI_INT, &status);
    MPI_File_iwrite_at(fh, off, buf, N, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_write_at_all_begin(fh, off, buf, N, MPI_INT);
    MPI_File_write_at_all_end(fh, buf, &status);
    MPI_File_iread_at(fh, off, buf, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(fh, off, buf, N, MPI_INT, &status);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
