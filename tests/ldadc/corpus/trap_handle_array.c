/* trap: handles in an array, and a handle chosen by the rank
 * expect: any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    MPI_File fh;
    BEGIN;
    MPI_File files[2], *mine;
    for (int f = 0; f < 2; f++) {
        snprintf(name, sizeof name, "%s.%d", argv[1], f);
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &files[f]);
    }
    MPI_File_seek(files[0], 640, MPI_SEEK_SET);
    MPI_File_write_at(files[1], rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    mine = &files[rank % 2];
    fh = *mine;
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&files[0]);
    MPI_File_close(&files[1]);
    MPI_Finalize();
    return nprocs < 0;
}
