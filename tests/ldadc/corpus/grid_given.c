/* A grid one of whose extents is given, and one of 3 times 3.
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int d[2] = {1, 0}, at[2], wraps[2] = {0};
    int three[3] = {0, 3, 0};
    MPI_Dims_create(nprocs, 2, d);
    MPI_Dims_create(36, 3, three);
    OPEN;
    WRITE_BLOCK((rank / d[1] * 100 + rank % d[1]) * S);
    at[0] = wraps[0];
    WRITE_BLOCK(10000 + rank * three[0] * three[1] * three[2] + at[0]);
    END;
}
