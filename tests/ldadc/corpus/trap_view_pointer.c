/* trap: a view sets the pointer back to its beginning
 * expect: resolved segmented; resolved overlapped; resolved overlapped */
#include "corpus.h"

int main(int argc, char **argv)
{
    int b[10] = {0};
    START;
    MPI_File_seek(fh, rank * 40, MPI_SEEK_SET);
    MPI_File_write(fh, b, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read(fh, b, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_File_read_at(fh, nprocs, b, 10, MPI_INT, MPI_STATUS_IGNORE);
    END;
}
