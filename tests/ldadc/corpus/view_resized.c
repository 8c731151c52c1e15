/* A resized type as filetype, as many codes write one column each.
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    MPI_Datatype type;
    BEGIN;
    int n = atoi(argv[2]);
    double *column = calloc(n, sizeof *column);
    MPI_Type_create_resized(MPI_DOUBLE, 0, nprocs * sizeof(double), &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, rank * sizeof(double), MPI_DOUBLE, type, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(fh, column, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(column);
    END;
}
