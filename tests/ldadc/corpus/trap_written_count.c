/* trap: the offset runs by as much as a call says that it has written
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    int count;
    MPI_Status status;
    BEGIN;
    MPI_Offset off = rank * 200;
    OPEN;
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, off, b, S - i * nprocs, MPI_BYTE, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        off += count;
    }
    END;
}
