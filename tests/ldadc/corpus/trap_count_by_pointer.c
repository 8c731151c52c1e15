/* trap: the count is a variable whose address a library function was given
 * expect: unresolved; unresolved */
#define S 64
#include "corpus.h"
#include <math.h>
#include <string.h>

int main(int argc, char **argv)
{
    char b[S] = "a b c";
    int exponent = S, at = 1;
    BEGIN;
    OPEN;
    frexp(rank + 100.0, &exponent);
    MPI_File_write_at(fh, rank * S, b, exponent, MPI_BYTE, MPI_STATUS_IGNORE);
    memcpy(&at, &rank, sizeof at);
    at = at * at;
    MPI_File_write_at(fh, at * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
