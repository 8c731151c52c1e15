/* trap: loops that are left in two ways, or only on some ranks
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int k = 0, more = 10;
    while (1) {
        if (k >= 7)
            break;
        if (rank + k > 5)
            break;
        WRITE_BLOCK((k * nprocs + rank) * S);
        k++;
    }
    while (more > 0) {
        if (more < 4)
            break;
        WRITE_BLOCK(10000 + (more * nprocs + rank) * S);
        more -= 2;
    }
    WRITE_BLOCK(20000 + (k + more) * S);
    END;
}
