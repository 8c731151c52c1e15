/* trap: a macro means something else further down
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"
#define AT (rank * S)

int main(int argc, char **argv)
{
    char b[64] = "";
    START;
    WRITE_BLOCK(AT);
#undef S
#define S 48
    WRITE_BYTES(AT, b, S - 0 * nprocs);
    END;
}
