/* trap: two handles that change places, as a solver's do
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    BEGIN;
    MPI_File old, other;
    snprintf(name, sizeof name, "%s.2", argv[1]);
    OPEN;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &old);
    MPI_File_seek(old, 100 + rank * S, MPI_SEEK_SET);
    for (int i = 0; i < 3; i++) {
        MPI_File_read_at(old, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_write(fh, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        other = fh;
        fh = old;
        old = other;
    }
    MPI_File_close(&old);
    END;
}
