/* Filetypes of other kinds.
 * trap: indexed blocks, a distributed array, a resized vector, a struct
 * expect: any; any; any; any */
#include "corpus.h"

static void show(MPI_File fh, MPI_Offset at, MPI_Datatype *type)
{
    MPI_Type_commit(type);
    MPI_File_set_view(fh, at, MPI_INT, *type, "native", MPI_INFO_NULL);
    MPI_Type_free(type);
}

int main(int argc, char **argv)
{
    int b[24] = {0}, lengths[2] = {1, 2}, places[2] = {0, 3};
    MPI_Datatype type, vector;
    BEGIN;
    int size = 6 * nprocs, dealt = MPI_DISTRIBUTE_CYCLIC, argument = 2;
    OPEN;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    show(fh, rank * 100, &type);
    MPI_File_write(fh, b, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_create_darray(nprocs, rank, 1, &size, &dealt, &argument, &nprocs,
                           MPI_ORDER_C, MPI_INT, &type);
    show(fh, 0, &type);
    MPI_File_write(fh, b, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 16, &type);
    show(fh, rank * 4, &type);
    MPI_File_write(fh, b, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_contiguous(2, vector, &type);
    show(fh, rank * 4, &type);
    MPI_File_write(fh, b, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
    END;
}
