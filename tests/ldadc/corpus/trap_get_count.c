/* trap: as many as were received, or read
 * expect: resolved overlapped; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int got = S;
    MPI_Status status;
    START_B;
    MPI_File_set_size(fh, 10);
    MPI_File_read_at(fh, 0, b, S, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    MPI_Barrier(MPI_COMM_WORLD);
    WRITE_BYTES(100 + rank * S, b, got);
    END;
}
