/* Counts and offsets beyond 32 bits, and calls that take them.
 * trap: an offset of more than 2 GiB; calls with large counts where MPI has them
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"
#if MPI_VERSION < 4
#define MPI_File_read_at_c MPI_File_read_at
#endif
#define GIB ((MPI_Offset)1 << 30)

int main(int argc, char **argv)
{
    char b[16] = "";
    START;
    MPI_File_read_at_c(fh, (rank + 3) * GIB, b, 16, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(fh, (MPI_Offset)rank * 5000000000 + nprocs, b, 16, MPI_BYTE,
                     MPI_STATUS_IGNORE);
    END;
}
