/* trap: cases that fall through
 * args: 1; 2
 * symbols: mode=1; mode=2
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int mode = atoi(argv[2]);
    MPI_Offset off = rank * S;
    switch (mode) {
    case 1:
        off += 640; /* fall through */
    case 2:
        off += 6400;
        break;
    default:
        off = 0;
    }
    WRITE_BLOCK(off);
    END;
}
