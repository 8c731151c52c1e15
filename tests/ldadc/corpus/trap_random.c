/* trap: random places, the clock and the environment
 * expect: unresolved; unresolved; unresolved */
#include "corpus.h"
#include <time.h>

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    const char *level = getenv("SHLVL");
    OPEN;
    srand(rank + 1);
    for (int i = 0; i < 4; i++)
        WRITE_BLOCK((MPI_Offset)(rand() % 100) * S);
    MPI_Offset seconds = time(NULL) % 60;
    WRITE_BLOCK(seconds * S);
    WRITE_BLOCK(level ? rank * S : 0);
    END;
}
