/* trap: append mode begins at the file's end
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[20] = "";
    MPI_File fh;
    BEGIN;
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, 50);
    MPI_File_close(&fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_APPEND | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_write(fh, b, 20, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, 4, MPI_SEEK_CUR);
    MPI_File_write(fh, b, rank + nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
