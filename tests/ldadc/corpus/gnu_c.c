/* Statement expressions, variable length arrays, typeof, ranges, nested functions.
 * args: 3; 6
 * symbols: n=3; n=6
 * expect: resolved interleaved; resolved segmented */
#include "corpus.h"
#define MAX(a, b)                                                                      \
    ({                                                                                 \
        __typeof__(a) a_ = (a);                                                        \
        __typeof__(b) b_ = (b);                                                        \
        a_ > b_ ? a_ : b_;                                                             \
    })

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]);
    char buf[MAX(n, 1) * 10];
    for (int i = 0; i < (int)sizeof buf; i++)
        buf[i] = 0;
    OPEN;
    for (__typeof__(n) i = 0; i < n; i++)
        MPI_File_write_at(fh, ({
                              MPI_Offset at = i * nprocs + rank;
                              at * 10;
                          }),
                          buf, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    WRITE_BYTES(rank * 20, buf, 2 * MAX(4, 10));
    END;
}
