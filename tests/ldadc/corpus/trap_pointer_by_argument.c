/* A pointer that the arguments choose: all ranks have the same, and it is either.
 * trap: what is stored through it changes one of two variables
 * args: 4; 4 5
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    int a = 4, b = 8;
    char c = 4, d = 8, buf[16] = "";
    START;
    int *p = argc > 3 ? &a : &b;
    char *q = argc > 3 ? &c : &d;
    *p = atoi(argv[2]) + 3;
    *q = (char)(*p + 1);
    WRITE_BYTES(rank * b, buf, a);
    WRITE_BYTES(rank * d, buf, 4);
    END;
}
