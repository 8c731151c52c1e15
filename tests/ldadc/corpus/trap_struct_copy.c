/* trap: a struct is assigned as a whole, and filled by memcpy
 * expect: any; unresolved */
#include "corpus.h"

struct place {
    MPI_Offset off;
    int count;
};

int main(int argc, char **argv)
{
    START_B;
    struct place a = {rank * S, S}, c = {(nprocs + rank) * S, S / 2};
    a = c;
    WRITE_BYTES(a.off, b, a.count);
    struct place d = {S * rank, 2};
    c.off = (rank ^ 1) * 100;
    memcpy(&d, &c, sizeof c);
    WRITE_BYTES(d.off, b, d.count);
    END;
}
