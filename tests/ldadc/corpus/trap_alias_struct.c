/* trap: a pointer to the offset is kept in a struct
 * expect: unresolved */
#include "corpus.h"

struct cursor {
    MPI_Offset *at;
};

static void keep(struct cursor *c, MPI_Offset *at)
{
    c->at = at;
}

static void jump(struct cursor *c, int i)
{
    *c->at += i * i * S;
}

int main(int argc, char **argv)
{
    struct cursor c;
    START_B;
    MPI_Offset off = rank * S;
    keep(&c, &off);
    for (int i = 0; i < 4; i++) {
        jump(&c, i);
        WRITE_BLOCK(off);
    }
    END;
}
