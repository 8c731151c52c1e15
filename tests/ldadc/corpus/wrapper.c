/* The call is in a function; the loop is around it, in two places.
 * expect: resolved interleaved,segmented */
#include "corpus.h"

static void put(MPI_File fh, MPI_Offset where, const void *buf, int count)
{
    MPI_Status status;
    if (MPI_File_write_at(fh, where, buf, count, MPI_BYTE, &status) != MPI_SUCCESS)
        fprintf(stderr, "not written\n");
}

int main(int argc, char **argv)
{
    char buf[60] = "";
    MPI_File fh;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 4; i++)
        put(fh, (i * nprocs + rank) * 60, buf, 60);
    put(fh, (4 * nprocs + rank) * 60, buf, 30);
    END;
}
