/* trap: a boolean is 0 or 1, whatever it is set to
 * expect: any; any */
#include "corpus.h"
#include <stdbool.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    bool other = rank;
    OPEN;
    WRITE_BLOCK(other * 640 + 0 * nprocs);
    WRITE_BLOCK((rank > 1) * 640 + !rank * 64);
    END;
}
