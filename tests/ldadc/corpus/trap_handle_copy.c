/* trap: a copy of a handle moves the same pointer
 * expect: any; any */
#include "corpus.h"

static void skip(MPI_File other)
{
    MPI_File_seek(other, 100, MPI_SEEK_CUR);
}

int main(int argc, char **argv)
{
    START_B;
    MPI_File copy = fh;
    MPI_File_seek(copy, rank * 300, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    skip(copy);
    MPI_File_write(fh, b, S - nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
