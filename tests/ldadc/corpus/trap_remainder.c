/* trap: one rank too many gets one more; a remainder that no rank shares
 * args: 10; 4
 * symbols: n=10; n=4
 * expect: any; any */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs;
    OPEN;
    MPI_File_write_at(fh, rank * q + (rank < m ? rank : m), b, q + (rank <= m),
                      MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 1000 + rank * q, b, q + (rank > m ? 1 : 2), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
