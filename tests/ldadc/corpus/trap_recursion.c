/* trap: recursion
 * expect: unresolved */
#include "corpus.h"

static void put(MPI_File fh, MPI_Offset at, int depth)
{
    char b[S] = "";
    if (depth == 0)
        return;
    MPI_File_write_at(fh, at, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    put(fh, at * 2 + 64, depth - 1);
}

int main(int argc, char **argv)
{
    START;
    put(fh, rank * S, 1 + nprocs);
    END;
}
