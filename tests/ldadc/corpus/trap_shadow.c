/* trap: an inner variable hides an outer one
 * expect: resolved disjoint; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    MPI_Offset off = rank * S;
    OPEN;
    for (int i = 0; i < 3; i++) {
        MPI_Offset off = (i * nprocs + rank) * 2 * S;
        MPI_File_write_at(fh, off, b, 2 * S > (int)sizeof b ? S : 0, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        off += 1000;
    }
    WRITE_BLOCK(off);
    END;
}
