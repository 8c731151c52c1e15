/* trap: printf() stores how much it has printed
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    int n = 0;
    printf("%*d%n\n", rank + 1, 1, &n);
    OPEN;
    WRITE_BLOCK(n * S);
    END;
}
