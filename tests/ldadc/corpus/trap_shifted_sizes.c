/* trap: sizes by shifts, and a shift by the loop's variable
 * args: 3; 5
 * symbols: k=3; k=5
 * expect: any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[64] = "";
    START;
    int k = atoi(argv[2]);
    WRITE_BYTES((MPI_Offset)rank << k, b, 1 << k);
    for (int i = 0; i < 4; i++)
        WRITE_BYTES(((MPI_Offset)nprocs << 4 << i) + rank, b, 1);
    END;
}
