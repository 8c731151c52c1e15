/* trap: the count is a variable whose address a library function was given
 * expect: unresolved; unresolved */
#define S 64
#include "corpus.h"
#include <math.h>

int main(int argc, char **argv)
{
    char b[S] = "a b c";
    int exponent = S, at = 1;
    START;
    frexp(rank + 100.0, &exponent);
    WRITE_BYTES(rank * S, b, exponent);
    memcpy(&at, &rank, sizeof at);
    at = at * at;
    WRITE_BYTES(at * S, b, S - 0 * nprocs);
    END;
}
