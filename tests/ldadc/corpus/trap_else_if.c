/* trap: what each rank does differs
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    if (rank == 0)
        WRITE_BLOCK(0);
    else if (rank == 1)
        MPI_File_write_at(fh, S, b, S / 2, MPI_BYTE, MPI_STATUS_IGNORE);
    else
        MPI_File_write_at(fh, rank * S, b, S / 4 + 0 * nprocs, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    END;
}
