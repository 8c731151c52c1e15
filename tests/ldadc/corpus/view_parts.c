/* Parts of a vector's blocks, from its middle on.
 * trap: a transfer that begins and ends within blocks of the view
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int b[16] = {0};
    MPI_Datatype type;
    BEGIN;
    MPI_Type_vector(3, 4, 4 * nprocs, MPI_INT, &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, rank * 16, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write_at(fh, 2, b, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 0, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, 6, MPI_SEEK_SET);
    MPI_File_write(fh, b, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    END;
}
