/* trap: shifts, masks and complements
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 3; i++) {
        WRITE_BLOCK((MPI_Offset)(i << 8 | rank) * S);
        WRITE_BLOCK((rank ^ i) << 5);
        WRITE_BLOCK((~rank & 7) * S);
    }
    END;
}
