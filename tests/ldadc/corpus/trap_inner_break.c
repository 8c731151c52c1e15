/* trap: break leaves the switch, or the inner loop, and not the outer one
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    for (int i = 0; i < 4; i++) {
        switch (b[0]) {
        case 0:
            break;
        default:
            b[1] = 1;
        }
        for (int j = 0; j < 9; j++)
            if (j > i)
                break;
        WRITE_BLOCK((i * nprocs + rank) * S);
    }
    for (int i = 0; i < 4; i++)
        do {
            if (i == 2)
                break;
            WRITE_BLOCK((i * nprocs + rank) * S);
        } while (0);
    END;
}
