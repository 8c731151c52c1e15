/* trap: what the command line said is changed before it is asked for again
 * args: 1; 0
 * symbols: more=1; more=0
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int more = atoi(argv[2]);
    if (more)
        WRITE_BLOCK(rank * S);
    more = rank % 2;
    if (more)
        WRITE_BLOCK((nprocs + rank) * S);
    END;
}
