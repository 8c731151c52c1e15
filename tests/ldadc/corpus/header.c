/* Rank 0 writes a header, then all write behind it.
 * expect: resolved alone; resolved segmented */
#include "corpus.h"
#define HEAD 512

int main(int argc, char **argv)
{
    char head[HEAD] = "", body[100] = "";
    START;
    if (rank == 0)
        WRITE_BYTES(0, head, HEAD);
    MPI_File_write_at_all(fh, HEAD + rank * 100, body, 100, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    END;
}
