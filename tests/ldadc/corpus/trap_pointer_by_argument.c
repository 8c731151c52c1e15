/* A pointer that the arguments choose: all ranks have the same, and it is either.
 * trap: what is stored through it changes one of two variables
 * args: 4; 4 5
 * expect: unresolved; unresolved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int a = 4, b = 8;
    char c = 4, d = 8, buf[16] = "";
    BEGIN;
    int *p = argc > 3 ? &a : &b;
    char *q = argc > 3 ? &c : &d;
    *p = atoi(argv[2]) + 3;
    *q = (char)(*p + 1);
    OPEN;
    MPI_File_write_at(fh, rank * b, buf, a, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * d, buf, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
