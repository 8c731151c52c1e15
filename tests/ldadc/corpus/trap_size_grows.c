/* trap: the size of a file that another rank writes, by this handle or by another one
 * that is still open, or that each rank has for itself
 * expect: unresolved; unresolved; unresolved; any; unresolved */
#include "corpus.h"

static MPI_Offset in_turn(MPI_File to, MPI_File from, int rank, int nprocs)
{
    char b[S] = "";
    MPI_Offset size = 0;
    for (int i = 0; i < nprocs; i++) {
        if (i == rank) {
            MPI_File_get_size(from, &size);
            MPI_File_write_at(to, size, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        }
        MPI_File_sync(to);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return size;
}

int main(int argc, char **argv)
{
    char b[S] = "", name[64];
    MPI_File fh, in;
    MPI_Offset size;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    size = in_turn(fh, fh, rank, nprocs);
    WRITE_BLOCK(size + 1000);

    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_Barrier(MPI_COMM_WORLD);
    size = in_turn(fh, in, rank, nprocs);
    MPI_File_read_at(in, size, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&in);
    MPI_File_close(&fh);

    snprintf(name, sizeof name, "own.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &fh);
    WRITE_BYTES(0, b, 3 + rank);
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    MPI_File_get_size(fh, &size);
    MPI_File_read_at(fh, 0, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
