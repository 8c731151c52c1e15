/* Ranks write one after the other, with the shared file pointer.
 * expect: resolved segmented; any; any; unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    MPI_File_write_ordered(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_File_write_ordered(fh, b, S + rank, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(fh, 4, MPI_SEEK_SET);
    MPI_File_read_ordered(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_shared(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
