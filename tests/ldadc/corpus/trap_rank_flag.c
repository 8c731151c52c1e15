/* trap: a variable holds what the rank is compared with
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    int writer = rank < 2, last = rank == nprocs - 1;
    OPEN;
    if (writer)
        WRITE_BLOCK(rank * S);
    if (last)
        WRITE_BLOCK(nprocs * S);
    END;
}
