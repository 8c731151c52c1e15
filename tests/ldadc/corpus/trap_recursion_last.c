/* trap: the one that writes is a call that the function makes of itself
 * expect: unresolved */
#include "corpus.h"

static void write_last(MPI_File fh, int rank, int n)
{
    char b[S] = "";
    if (n > 0)
        write_last(fh, rank + 2, n - 1);
    else
        MPI_File_write_at(fh, (MPI_Offset)rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    START;
    write_last(fh, rank, 3);
    END;
}
