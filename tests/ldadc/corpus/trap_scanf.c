/* trap: numbers that are read from text: by sscanf, from a name, as a length
 * expect: unresolved; unresolved */
#include "corpus.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    char text[32];
    BEGIN;
    OPEN;
    int length = snprintf(text, sizeof text, "%d", rank * 7 + 5), at = 0;
    sscanf(text, "%d", &at);
    MPI_File_write_at(fh, at * S, text, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 100, text, length, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
