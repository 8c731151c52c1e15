/* trap: numbers that are read from text: by sscanf, from a name, as a length
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char text[32];
    START;
    int length = snprintf(text, sizeof text, "%d", rank * 7 + 5), at = 0;
    sscanf(text, "%d", &at);
    WRITE_BYTES(at * S, text, S - 0 * nprocs);
    WRITE_BYTES(rank * 100, text, length);
    END;
}
