/* trap: the loop's variable is changed in its body, once more than it seems
 * expect: unresolved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 9; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        if (i == 3)
            i += 2;
    }
    for (int i = 0; i < 9; i++) {
        WRITE_BLOCK((i * nprocs + rank) * S);
        i++;
    }
    END;
}
