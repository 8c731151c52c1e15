/* trap: the shared file pointer, and ordered calls
 * expect: unresolved; unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_File_write_shared(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(fh, b, S / (rank + 1), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
