/* trap: values that go through a variable argument list
 * expect: unresolved */
#include "corpus.h"
#include <stdarg.h>

static void put(MPI_File fh, const char *b, ...)
{
    va_list list;
    va_start(list, b);
    int slot = va_arg(list, int);
    va_end(list);
    WRITE_BLOCK(slot * S);
}

int main(int argc, char **argv)
{
    START_B;
    put(fh, b, rank * nprocs);
    END;
}
