/* trap: a macro means something else further down
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"
#define AT (rank * S)

int main(int argc, char **argv)
{
    char b[64] = "";
    BEGIN;
    OPEN;
    WRITE_BLOCK(AT);
#undef S
#define S 48
    MPI_File_write_at(fh, AT, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
