/* trap: two members of a union
 * expect: unresolved */
#include "corpus.h"

union both {
    MPI_Offset off;
    int parts[2];
};

int main(int argc, char **argv)
{
    START_B;
    union both u;
    u.off = rank * S;
    u.parts[0] += rank % 2 * 640;
    WRITE_BLOCK(u.off);
    END;
}
