/* trap: sums of what grows
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = 0;
    for (int r = 0; r < rank; r++)
        off += 100;
    WRITE_BLOCK(off);
    for (int r = 0; r < rank; r++)
        off += r * 10 + nprocs;
    WRITE_BLOCK(off);
    END;
}
