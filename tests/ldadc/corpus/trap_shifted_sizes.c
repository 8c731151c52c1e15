/* trap: sizes by shifts, and a shift by the loop's variable
 * args: 3; 5
 * symbols: k=3; k=5
 * expect: any; unresolved */
#include "corpus.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[64] = "";
    BEGIN;
    int k = atoi(argv[2]);
    OPEN;
    MPI_File_write_at(fh, (MPI_Offset)rank << k, b, 1 << k, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(fh, ((MPI_Offset)nprocs << 4 << i) + rank, b, 1, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    END;
}
