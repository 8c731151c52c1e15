/* trap: a pointer to a member of a struct
 * expect: unresolved */
#include "corpus.h"

struct state {
    int pad;
    MPI_Offset off;
};

int main(int argc, char **argv)
{
    START_B;
    struct state s = {0, 0};
    struct state *p = &s;
    MPI_Offset *q = &p->off;
    s.off = rank * S;
    for (int i = 0; i < 4; i++) {
        WRITE_BLOCK(s.off);
        *q += (nprocs + i) * S;
    }
    END;
}
