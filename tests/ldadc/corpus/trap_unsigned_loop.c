/* trap: a comparison of a signed with an unsigned number is unsigned
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    unsigned limit = 3;
    OPEN;
    for (int i = rank - 2; (unsigned)i < limit; i++)
        WRITE_BLOCK((i + 5) * S);
    if ((unsigned)(rank - 1) > 1u)
        MPI_File_write_at(fh, rank * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
