/* trap: which variable is set depends on the rank
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    MPI_Offset one = rank * S, two = 0;
    *(rank % 2 ? &one : &two) = 4096;
    MPI_File_write_at(fh, one + 0 * two, b, S - 0 * nprocs, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
