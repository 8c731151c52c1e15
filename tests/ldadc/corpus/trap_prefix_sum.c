/* trap: each rank's place is the sum of the sizes before it
 * expect: any; unresolved */
#define S 64
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    long long mine = 8 + rank * rank, before = 0;
    MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BYTES(before, b, (int)mine);
    int sizes[64];
    int size = 5 + rank;
    MPI_Allgather(&size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Offset at = 1000;
    for (int r = 0; r < rank; r++)
        at += sizes[r];
    WRITE_BYTES(at, b, size);
    END;
}
