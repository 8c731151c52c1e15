/* trap: the datatype depends on the command line
 * args: 0; 1
 * symbols: wide=0; wide=1
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    double b[8] = {0};
    BEGIN;
    int wide = atoi(argv[2]);
    MPI_Datatype type = MPI_FLOAT;
    if (wide)
        type = MPI_DOUBLE;
    OPEN;
    MPI_File_write_at(fh, rank * 8 * sizeof(double), b, 8, type, MPI_STATUS_IGNORE);
    END;
}
