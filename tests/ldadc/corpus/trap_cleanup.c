/* trap: a function that runs when a variable goes out of scope
 * expect: unresolved */
#include "corpus.h"

static MPI_Offset off;

static void further(const int *by)
{
    off += *by * *by * S;
}

int main(int argc, char **argv)
{
    START_B;
    off = rank * S;
    for (int i = 0; i < 4; i++) {
        __attribute__((cleanup(further))) int by = i * nprocs;
        WRITE_BYTES(off, b, by < 0 ? 0 : S);
    }
    END;
}
