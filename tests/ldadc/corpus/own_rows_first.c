/* A rank reads its columns, from its own rows on, and then those of the rows before.
 * args: 4 6; 12 13
 * symbols: rows=4 columns=6; rows=12 columns=13
 * expect: resolved disjoint; resolved disjoint */
#include "corpus.h"

int main(int argc, char **argv)
{
    MPI_Offset share, begin, i;
    START;
    MPI_Offset rows = atoi(argv[2]), columns = atoi(argv[3]);
    share = columns / nprocs;
    begin = rank * (rows / nprocs);
    char *buf = calloc(rows * columns, 1);
    for (i = begin; i < rows; i++)
        WRITE_BYTES(i * columns + rank * share, buf, (int)share);
    for (i = 0; i < begin; i++)
        WRITE_BYTES(i * columns + rank * share, buf, (int)share);
    free(buf);
    END;
}
