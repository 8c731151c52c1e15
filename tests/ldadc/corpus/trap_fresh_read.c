/* trap: a read of a file that is empty moves no pointer
 * expect: resolved overlapped; unresolved; resolved overlapped; resolved overlapped */
#define S 100
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    MPI_File fh;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &fh);
    MPI_File_read(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    /* now there is something in it */
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(fh, 0, MPI_SEEK_SET);
    MPI_File_read(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
