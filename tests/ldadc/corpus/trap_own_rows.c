/* Ranks' columns are a little wider than what lies between them.
 * trap: a row of a rank reaches into the next rank's columns
 * args: 4 6; 12 13
 * symbols: rows=4 columns=6; rows=12 columns=13
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    MPI_Offset share, begin, i;
    START;
    MPI_Offset rows = atoi(argv[2]), columns = atoi(argv[3]);
    share = columns / nprocs;
    begin = rank * (rows / nprocs);
    char *buf = calloc(rows * columns + 1, 1);
    for (i = begin; i < rows; i++)
        WRITE_BYTES(i * columns + rank * share, buf, (int)share + 1);
    free(buf);
    END;
}
