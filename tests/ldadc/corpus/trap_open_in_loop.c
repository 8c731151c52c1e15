/* trap: each opening begins at the file's start again
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    MPI_File fh;
    BEGIN;
    for (int f = 0; f < 2; f++) {
        snprintf(name, sizeof name, "%s.%d", argv[1], f);
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh);
        MPI_File_seek(fh, rank * 2 * S, MPI_SEEK_CUR);
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&fh);
    }
    MPI_Finalize();
    return nprocs < 1;
}
