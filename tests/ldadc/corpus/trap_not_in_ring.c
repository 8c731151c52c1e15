/* Ranks chosen by comparing, as in a ring, that are no neighbours in it.
 * trap: the first and the last rank have another's neighbour, or none
 * args: 20
 * symbols: n=20
 * expect: any; any; any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]), stays = rank == 0 ? 0 : rank - 1,
        beyond = rank == 0 ? nprocs : rank - 1,
        second = rank == 1 ? nprocs - 1 : rank + 1,
        turned = rank == nprocs - 1 ? rank + 1 : 0,
        short_of = rank >= nprocs - 2 ? 0 : rank + 1;
    char *buf = calloc(n, 1);
    OPEN;
    WRITE_BYTES((MPI_Offset)stays * n, buf, n);
    WRITE_BYTES((MPI_Offset)beyond * n, buf, n);
    WRITE_BYTES((MPI_Offset)second * n, buf, n);
    WRITE_BYTES((MPI_Offset)turned * n, buf, n);
    WRITE_BYTES((MPI_Offset)short_of * n, buf, n);
    free(buf);
    END;
}
