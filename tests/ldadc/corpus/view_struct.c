/* a view of a structure: a vector that begins at each rank's place
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Datatype column, moved, tile;
    int one = 1;
    MPI_Aint place = rank * sizeof(int);
    MPI_Type_vector(4, 1, nprocs, MPI_INT, &column);
    MPI_Type_create_struct(1, &one, &place, &column, &moved);
    MPI_Type_create_resized(moved, 0, 4 * nprocs * sizeof(int), &tile);
    MPI_Type_commit(&tile);
    OPEN;
    MPI_File_set_view(fh, 0, MPI_INT, tile, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(fh, 4, b, 4, MPI_INT, MPI_STATUS_IGNORE);
    END;
}
