/* trap: assembler writes to the offset
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    MPI_Offset off = rank * S;
    OPEN;
    __asm__("" : "+r"(off));
    MPI_File_write_at(fh, off, b, S + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
