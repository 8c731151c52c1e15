/* trap: the offset runs by as much as a call says that it has written
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int count;
    MPI_Status status;
    START_B;
    MPI_Offset off = rank * 200;
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, off, b, S - i * nprocs, MPI_BYTE, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        off += count;
    }
    END;
}
