/* A vector as filetype deals blocks out among the ranks.
 * args: 3; 7
 * symbols: n=3; n=7
 * expect: resolved interleaved */
#include "corpus.h"
#define B 10

int main(int argc, char **argv)
{
    MPI_Datatype type;
    BEGIN;
    int n = atoi(argv[2]);
    int *buf = calloc(n * B, sizeof *buf);
    MPI_Type_vector(n, B, B * nprocs, MPI_INT, &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, (MPI_Offset)rank * B * sizeof(int), MPI_INT, type, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(fh, buf, n * B, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(buf);
    END;
}
