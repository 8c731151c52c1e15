/* trap: a function opens the file and returns its handle; another has left its view
 * expect: resolved segmented */
#include "corpus.h"

static MPI_File opened(const char *path, int rank)
{
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &fh);
    MPI_File_set_view(fh, rank * 80, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    return fh;
}

int main(int argc, char **argv)
{
    double b[10] = {0};
    BEGIN;
    MPI_File fh = opened(argv[1], rank);
    MPI_File_write_at(fh, 5, b, 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
    END;
}
