/* trap: the offset runs through the inner loop, and further in the outer one
 * args: 3 2; 1 5
 * symbols: n=3 m=2; n=1 m=5
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]), m = atoi(argv[3]);
    MPI_Offset off = (MPI_Offset)rank * m * S;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            WRITE_BLOCK(off);
            off += S;
        }
        off += (MPI_Offset)(nprocs - 1) * m * S;
    }
    END;
}
