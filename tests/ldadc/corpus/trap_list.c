/* trap: a linked list, an array of structs, a pointer to a pointer
 * expect: unresolved; unresolved; any */
#include "corpus.h"
#include <stddef.h>

struct part {
    MPI_Offset at;
    struct part *next;
};

int main(int argc, char **argv)
{
    START_B;
    struct part parts[3] = {{rank * 50, &parts[2]}, {9, NULL}, {700 + rank * 50, NULL}};
    for (struct part *p = parts; p; p = p->next)
        WRITE_BLOCK(p->at);
    for (int i = 0; i < 3; i++)
        WRITE_BYTES(parts[(i + rank) % 3].at, b, 1 + 0 * nprocs);
    MPI_Offset off = rank * S, *p = &off, **q = &p;
    **q += 32;
    WRITE_BLOCK(off);
    END;
}
