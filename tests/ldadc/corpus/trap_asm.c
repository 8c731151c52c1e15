/* trap: assembler writes to the offset
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    __asm__("" : "+r"(off));
    WRITE_BYTES(off, b, S + 0 * nprocs);
    END;
}
