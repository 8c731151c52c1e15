/* trap: what rank 0 has before is not 0; a sum of products, and the largest
 * expect: any; any; unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int own = S, before = 7, most;
    long long wide = S, below = 0;
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BLOCK(before);
    if (rank > 0)
        WRITE_BLOCK(1000 + before);
    own = rank + 1;
    MPI_Scan(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    WRITE_BLOCK(2000 + most * S);
    wide += (1LL << 32) * rank;
    MPI_Exscan(&wide, &below, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BLOCK(3000 + below % 1000);
    END;
}
