/* trap: the program ends within the loop
 * args: 5; 2
 * symbols: n=5; n=2
 * expect: unresolved */
#include "corpus.h"

static void quit(MPI_File *fh)
{
    MPI_File_close(fh);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        if (i == 2)
            quit(&fh);
    }
    END;
}
