/* trap: a function changes its copy, and another the original
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"

struct place {
    MPI_Offset at;
    struct {
        int n;
    } how;
};

static void copy(struct place p)
{
    p.at += 1000;
    p.how.n = 1;
}

static void original(struct place *p)
{
    struct place other = *p;
    other.at = p->how.n;
    p->at += 2000 - other.at + S;
    p->how.n /= 2;
}

int main(int argc, char **argv)
{
    START_B;
    struct place p = {.at = rank * S, .how = {.n = S}};
    copy(p);
    WRITE_BYTES(p.at, b, p.how.n);
    original(&p);
    WRITE_BYTES(p.at, b, p.how.n - 0 * nprocs);
    END;
}
