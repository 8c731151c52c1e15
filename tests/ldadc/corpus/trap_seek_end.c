/* trap: MPI_SEEK_END, and the pointer after it
 * expect: unresolved; unresolved; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_File_set_size(fh, 100);
    MPI_File_seek(fh, rank * S, MPI_SEEK_END);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(fh, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * S, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
