/* trap: a read past the file's end moves the pointer by what was read
 * assumed: not cut short
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_File_set_size(fh, 20);
    MPI_File_seek(fh, 10, MPI_SEEK_SET);
    MPI_File_read(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write(fh, b, 1 + rank + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
