/* trap: the offset's bytes are written through a pointer to char, and by memset
 * expect: unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    MPI_Offset off = rank * S;
    ((char *)&off)[1] = 1 + 0 * nprocs;
    WRITE_BLOCK(off);
    off = 777 + rank;
    memset(&off, 0, sizeof off);
    WRITE_BLOCK(off);
    END;
}
