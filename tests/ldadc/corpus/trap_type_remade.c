/* trap: one variable for several types, and types in an array
 * expect: resolved segmented; resolved segmented; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    double b[8] = {0};
    MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
    START;
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(fh, rank * 64, b, 4, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(fh, rank * 64, b, 4 - 0 * nprocs, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_File_write_at(fh, rank * 64, b, 4, types[rank % 2], MPI_STATUS_IGNORE);
    END;
}
