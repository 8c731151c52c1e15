/* trap: seeks in a view count its etypes, and bytes again once it is set back
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    double b[4] = {0};
    START;
    MPI_File_set_view(fh, 64, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_seek(fh, rank * 8, MPI_SEEK_SET);
    MPI_File_write(fh, b, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, -2, MPI_SEEK_CUR);
    MPI_File_write(fh, b, 4 - 0 * nprocs, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_seek(fh, rank * 8, MPI_SEEK_SET);
    MPI_File_write(fh, b, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    END;
}
