/* rank 0 makes a file by itself, then all ranks read it
 * expect: resolved alone; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    MPI_File fh;
    BEGIN;
    if (rank == 0) {
        MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &fh);
        MPI_File_write(fh, b, 8 * S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&fh);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_read_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
