/* A slab of each step for each rank: two loops.
 * args: 3 4; 1 5
 * symbols: steps=3 rows=4; steps=1 rows=5
 * expect: resolved interleaved */
#include "corpus.h"
#define ROW 40

int main(int argc, char **argv)
{
    int s, r;
    double row[ROW / 8] = {0};
    START;
    const int steps = atoi(argv[2]), rows = atoi(argv[3]);
    for (s = 0; s < steps; s++)
        for (r = 0; r < rows; r++) {
            MPI_Offset at = ((MPI_Offset)(s * nprocs + rank) * rows + r) * ROW;
            MPI_File_write_at(fh, at, row, ROW / sizeof *row, MPI_DOUBLE,
                              MPI_STATUS_IGNORE);
        }
    END;
}
