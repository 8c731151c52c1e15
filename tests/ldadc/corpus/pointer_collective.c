/* The individual pointer with collective, nonblocking and split calls.
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    int buf[10] = {0};
    MPI_Request request;
    START;
    MPI_File_seek(fh, 120 * rank, MPI_SEEK_SET);
    MPI_File_write_all(fh, buf, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite(fh, buf, 10, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(fh, buf, 10, MPI_INT);
    MPI_File_write_all_end(fh, buf, MPI_STATUS_IGNORE);
    END;
}
