/* trap: a function that only the library calls changes a variable of the file
 * expect: unresolved */
#include "corpus.h"

static MPI_Offset off;

static int compare(const void *a, const void *b)
{
    off += S;
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    int keys[4] = {3, 1, 2, 0};
    START_B;
    off = rank * 1000;
    qsort(keys, 4, sizeof *keys, compare);
    WRITE_BLOCK(off);
    END;
}
