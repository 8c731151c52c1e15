/* trap: two offsets change places in each iteration
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    MPI_Offset one = rank * S, two = 1000 + rank * S, other;
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, one, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        other = one;
        one = two;
        two = other;
    }
    END;
}
