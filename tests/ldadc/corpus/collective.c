/* Collective, nonblocking and split calls with offsets.
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"

enum { N = 80 };

int main(int argc, char **argv)
{
    int buf[N] = {0};
    MPI_Offset off;
    MPI_Request request;
    MPI_Status status;
    START;
    off = (MPI_Offset)rank * N * sizeof(int);
    MPI_File_write_at_all(fh, off, buf, N, MPI_INT, &status);
    MPI_File_iwrite_at(fh, off, buf, N, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_write_at_all_begin(fh, off, buf, N, MPI_INT);
    MPI_File_write_at_all_end(fh, buf, &status);
    MPI_File_iread_at(fh, off, buf, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(fh, off, buf, N, MPI_INT, &status);
    END;
}
