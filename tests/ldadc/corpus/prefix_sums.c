/* Each rank begins where the ones before it end: MPI_Exscan and MPI_Scan.
 * args: 10
 * symbols: n=10
 * expect: resolved segmented; any; resolved segmented; any; resolved segmented */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int n = atoi(argv[2]), before = 0, with_own, own = S, sum = 0;
    OPEN;
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, before, b, own, MPI_BYTE, MPI_STATUS_IGNORE);
    own = 20 + rank;
    before = 0;
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, 1000 + before, b, own, MPI_BYTE, MPI_STATUS_IGNORE);
    own = n / nprocs + (rank < n % nprocs);
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        before = 0;
    MPI_File_write_at(fh, 2000 + before, b, own, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Scan(&own, &with_own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, 3000 + with_own - own, b, own, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, 4000 + rank * sum, b, sum, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
