/* trap: chars and shorts that wrap around
 * expect: unresolved; unresolved; unresolved */
#define S 8
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    unsigned char c = 250;
    for (int i = 0; i < 9; i++) {
        WRITE_BLOCK((c * nprocs + rank) * S);
        c += 2;
    }
    unsigned short at = 65000 + rank;
    for (int i = 0; i < 3; i++, at += 300)
        WRITE_BYTES(at, b, 1);
    for (int i = 0; i < 3; i++)
        WRITE_BYTES((unsigned char)(i * 100 + rank), b, 1);
    END;
}
