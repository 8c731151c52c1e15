/* Each rank begins where the ones before it end: MPI_Exscan and MPI_Scan.
 * args: 10
 * symbols: n=10
 * expect: resolved segmented; any; resolved segmented; any; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    START;
    int n = atoi(argv[2]), before = 0, with_own, own = S, sum = 0;
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BYTES(before, b, own);
    own = 20 + rank;
    before = 0;
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BYTES(1000 + before, b, own);
    own = n / nprocs + (rank < n % nprocs);
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        before = 0;
    WRITE_BYTES(2000 + before, b, own);
    MPI_Scan(&own, &with_own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BYTES(3000 + with_own - own, b, own);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    WRITE_BYTES(4000 + rank * sum, b, sum);
    END;
}
