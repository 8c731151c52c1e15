/* trap: a bit-field is narrower than its type
 * expect: unresolved */
#include "corpus.h"

struct place {
    unsigned slot : 2, more : 30;
};

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    struct place p = {0, 0};
    OPEN;
    for (int i = 0; i < 6; i++) {
        p.slot = i;
        WRITE_BLOCK((p.slot * nprocs + rank) * S);
    }
    END;
}
