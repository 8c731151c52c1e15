/* trap: offsets that are sent by another rank
 * symbols: base=77
 * expect: unresolved; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    long long off = rank * S, base = rank;
    MPI_Sendrecv_replace(&off, 1, MPI_LONG_LONG, (rank + 1) % nprocs, 0,
                         (rank + nprocs - 1) % nprocs, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    WRITE_BLOCK(off);
    if (rank == 0)
        base = 77;
    MPI_Bcast(&base, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    WRITE_BLOCK(base + rank * S);
    END;
}
