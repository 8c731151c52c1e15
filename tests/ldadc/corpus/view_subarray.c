/* Slabs of a matrix by columns through a subarray.
 * args: 3 2; 5 3
 * symbols: rows=3 cols=2; rows=5 cols=3
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    MPI_Datatype type;
    BEGIN;
    int rows = atoi(argv[2]), cols = atoi(argv[3]);
    int sizes[2] = {rows, cols * nprocs}, sub[2] = {rows, cols},
        starts[2] = {0, cols * rank};
    float *buf = calloc(rows * cols, sizeof *buf);
    MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, 0, MPI_FLOAT, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, buf, rows * cols, MPI_FLOAT, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(buf);
    END;
}
