/* trap: the offset is increased at two places of the body
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    MPI_Offset off = rank * S;
    for (int i = 0; i < 3; i++) {
        WRITE_BLOCK(off);
        off += nprocs * S;
        MPI_File_write_at(fh, off, b, S / 2, MPI_BYTE, MPI_STATUS_IGNORE);
        off += 2 * nprocs * S;
    }
    END;
}
