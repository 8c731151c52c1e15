/* trap: numbers of the environment, or of each rank's own argument
 * expect: unresolved; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[32];
    BEGIN;
    snprintf(name, sizeof name, "%d", rank * rank);
    setenv("LEADLINE_PLACE", name, 1);
    int place = atoi(getenv("LEADLINE_PLACE"));
    OPEN;
    WRITE_BYTES(place * S, b, S - 0 * nprocs);
    argv[1] = name;
    int other = atoi(argv[1]);
    WRITE_BLOCK(other * S);
    END;
}
