/* trap: a variable that doubles, and squares of the loop's variable
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 1; i < 20; i *= 2)
        WRITE_BLOCK((i * nprocs + rank) * S);
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((i * i * nprocs + rank) * S);
    END;
}
