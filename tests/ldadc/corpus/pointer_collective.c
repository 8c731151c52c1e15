/* The individual pointer with collective, nonblocking and split calls.
 *
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, buf[10] = {0};
    MPI_File fh;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_seek(fh, 120 * rank, MPI_SEEK_SET);
    MPI_File_write_all(fh, buf, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite(fh, buf, 10, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(fh, buf, 10, MPI_INT);
    MPI_File_write_all_end(fh, buf, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
