/* A second write goes on where the first ended, within the filetype's second copy.
 * trap: the filetype ends with its last block, not with a gap
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int buf[6] = {0};
    MPI_Datatype type;
    BEGIN;
    MPI_Type_vector(3, 1, nprocs, MPI_INT, &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, rank * 4, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write(fh, buf, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 2, buf, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    END;
}
