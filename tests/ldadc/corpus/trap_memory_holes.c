/* trap: a type with holes in memory: its extent is not what is written
 * expect: any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    int b[64] = {0};
    BEGIN;
    MPI_Datatype column, wide, both;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_resized(MPI_INT, 0, 16, &wide);
    MPI_Type_commit(&wide);
    MPI_Type_create_struct(2, lengths, places, types, &both);
    MPI_Type_commit(&both);
    OPEN;
    MPI_File_write_at(fh, rank * 16, b, 1, column, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 16, b, 4, wide, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 24, b, 2, both, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Type_free(&wide);
    MPI_Type_free(&both);
    END;
}
