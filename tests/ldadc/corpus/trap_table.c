/* trap: offsets and counts from tables
 * expect: unresolved; unresolved */
#include "corpus.h"

static const int table[] = {7, 0, 3, 1};
static int lengths[4] = {4, 8, 2, 16};

int main(int argc, char **argv)
{
    START;
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((table[i] * nprocs + rank) * S);
    MPI_File_write_at(fh, rank * S, b, lengths[rank % 4], MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
