/* trap: the rank's variable is an element, or a member that is changed
 * expect: any; any */
#include "corpus.h"

struct me {
    int rank, of;
};

static void turn(struct me *m)
{
    m->rank = m->of - 1 - m->rank;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int ids[2] = {7, 7};
    struct me m;
    BEGIN;
    MPI_Comm_rank(MPI_COMM_WORLD, &ids[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.of);
    OPEN;
    WRITE_BLOCK((ids[0] + ids[1]) * S);
    turn(&m);
    WRITE_BYTES(m.rank * S, b, S - 0 * (nprocs + rank));
    END;
}
