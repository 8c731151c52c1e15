/* trap: the call is made through a pointer to the function
 * unlisted: 1
 * expect: any */
#include "corpus.h"

typedef int writes(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *);
typedef void *offsets(MPI_Offset *);

static void *jump(MPI_Offset *off)
{
    *off = 4096 - *off;
    return off;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    writes *put = MPI_File_write_at;
    offsets *change = jump;
    MPI_Offset off = rank * S;
    OPEN;
    put(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    change(&off);
    WRITE_BLOCK(off);
    END;
}
