/* trap: numbers that are read from a file, but not the same ones by all ranks: each its
 * own, each as it is then, and through its own view
 * expect: any; any; unresolved; any; any; unresolved; any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int own, at = 0;
    MPI_File fh, in;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    own = rank + 3;
    MPI_File_write_at_all(fh, rank * 4, &own, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_File_read_at(in, rank * 4, &at, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(in, 0, b, at, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < nprocs; i++) {
        if (i == rank) {
            MPI_File_read_at(in, 0, &own, 1, MPI_INT, MPI_STATUS_IGNORE);
            at = own++;
            MPI_File_write_at(fh, 0, &own, 1, MPI_INT, MPI_STATUS_IGNORE);
        }
        MPI_File_sync(fh);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_read_at(in, 0, b, at, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_File_set_view(in, rank * 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(in, 0, &at, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(in, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(in, 0, b, at, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&in);
    MPI_Finalize();
    return 0;
}
