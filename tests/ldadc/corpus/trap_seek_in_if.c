/* trap: the pointer is only moved on some ranks, or in some iterations
 * expect: any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    if (rank % 2)
        MPI_File_seek(fh, 640, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * 320, MPI_SEEK_SET);
    for (int i = 0; i < 4; i++) {
        MPI_File_write(fh, b, S / nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        if (i == 2)
            MPI_File_seek(fh, S, MPI_SEEK_CUR);
    }
    END;
}
