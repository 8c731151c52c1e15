/* trap: the offset is read from the file itself
 * expect: any; resolved overlapped; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset where = 128;
    if (rank == 0)
        WRITE_BYTES(0, &(MPI_Offset){512}, 8);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, 0, &where, 8, MPI_BYTE, MPI_STATUS_IGNORE);
    WRITE_BLOCK(where + rank * S);
    END;
}
