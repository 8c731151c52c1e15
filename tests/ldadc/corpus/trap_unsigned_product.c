/* trap: unsigned numbers wrap around by the language's rules: it is no overflow
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[16];
    START;
    unsigned off = (unsigned)rank * 3000000000u;
    MPI_File_read_at(fh, off, b, 16, MPI_BYTE, MPI_STATUS_IGNORE);
    unsigned one = 1;
    MPI_Offset before = rank - one;
    MPI_File_read_at(fh, before, b, nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
