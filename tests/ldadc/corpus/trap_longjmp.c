/* trap: setjmp and longjmp
 * expect: unresolved */
#include "corpus.h"
#include <setjmp.h>

static jmp_buf again;

int main(int argc, char **argv)
{
    volatile int i = 0;
    START_B;
    setjmp(again);
    WRITE_BLOCK(((MPI_Offset)i * nprocs + rank) * S);
    i = i + 1;
    if (i < 3)
        longjmp(again, 1);
    END;
}
