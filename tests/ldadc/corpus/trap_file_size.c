/* trap: the file's size, and a position that is asked for
 * expect: unresolved; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset size = 0, here = 0;
    MPI_File_set_size(fh, 300);
    MPI_File_get_size(fh, &size);
    WRITE_BLOCK(size + rank * S);
    MPI_File_seek(fh, rank * 7, MPI_SEEK_SET);
    MPI_File_write(fh, b, 7, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_get_position(fh, &here);
    WRITE_BYTES(here + 500, b, 1);
    END;
}
