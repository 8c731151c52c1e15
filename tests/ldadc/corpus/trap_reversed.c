/* trap: the rank variable is counted from the other end
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    rank = nprocs - 1 - rank;
    WRITE_BLOCK(rank * S);
    END;
}
