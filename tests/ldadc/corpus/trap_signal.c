/* trap: a signal handler changes a variable of the file
 * expect: unresolved */
#include "corpus.h"
#include <signal.h>

static int offset;

static void handler(int number)
{
    offset += number * S;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    signal(SIGUSR2, handler);
    OPEN;
    offset = rank * S;
    raise(SIGUSR2);
    WRITE_BLOCK(offset);
    END;
}
