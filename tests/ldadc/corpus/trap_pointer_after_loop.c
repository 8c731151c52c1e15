/* trap: where the pointer is after a loop that is left early, and after one that is not
 * args: 4; 0
 * symbols: n=4; n=0
 * expect: unresolved; unresolved; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET);
    for (int i = 0; i < n; i++) {
        if (i > rank)
            break;
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_write(fh, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET);
    for (int i = 0; i < n; i++)
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(fh, b, 1 + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
