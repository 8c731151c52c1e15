/* trap: a table of options begins with the addresses of what it sets
 * expect: any */
#include "corpus.h"

static int count = 1, shift = 0;

static const struct {
    const char *name;
    int *to;
} options[] = {{"count", &count}, {"shift", &shift}, {NULL, NULL}};

static void set(const char *name, const char *value)
{
    for (int i = 0; options[i].name; i++)
        if (!strcmp(options[i].name, name))
            *options[i].to = atoi(value);
}

int main(int argc, char **argv)
{
    char b[S] = "";
    BEGIN;
    set("shift", "3");
    OPEN;
    WRITE_BLOCK((MPI_Offset)(rank * count + shift) * S);
    END;
}
