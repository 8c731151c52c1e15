/* trap: a size with a unit, as programs read it
 * args: 2k; 96
 * symbols: size=2048 n=2048; size=96 n=96
 * expect: any */
#include "corpus.h"

static long long parse(const char *text)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    switch (*end) {
    case 'm':
        n *= 1024; /* fall through */
    case 'k':
        n *= 1024;
    }
    return n;
}

int main(int argc, char **argv)
{
    BEGIN;
    long long size = parse(argv[2]);
    char *b = calloc(size, 1);
    OPEN;
    for (int i = 0; i < 2; i++)
        WRITE_BYTES((i * nprocs + rank) * size, b, size);
    free(b);
    END;
}
