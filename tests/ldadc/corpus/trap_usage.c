/* A program that checks its arguments, and its files.
 * args: 3; 6
 * symbols: n=3; n=6
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "";
    MPI_File fh;
    BEGIN;
    if (argc < 3) {
        if (rank == 0)
            fprintf(stderr, "usage: %s FILE N\n", argv[0]);
        MPI_Finalize();
        return 2;
    }
    int n = atoi(argv[2]);
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh) != MPI_SUCCESS) {
        fprintf(stderr, "%s cannot be opened\n", argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    END;
}
