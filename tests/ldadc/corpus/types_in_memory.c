/* datatypes with holes and overlaps in memory only count their bytes
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Datatype mixed, twice, uneven, kinds[2] = {MPI_CHAR, MPI_INT};
    int length[2] = {1, 2}, at[2] = {0, 3};
    MPI_Aint place[2] = {0, 4};
    MPI_Type_create_struct(2, length, place, kinds, &mixed);
    MPI_Type_create_hvector(3, S, 0, MPI_BYTE, &twice);
    MPI_Type_indexed(2, length, at, MPI_INT, &uneven);
    MPI_Type_commit(&mixed);
    MPI_Type_commit(&twice);
    MPI_Type_commit(&uneven);
    OPEN;
    MPI_File_write_at(fh, rank * 18, b, 2, mixed, MPI_STATUS_IGNORE);
    MPI_File_read_at(fh, rank * 3 * S, b, 1, twice, MPI_STATUS_IGNORE);
    MPI_File_read_at(fh, rank * 24, b, 2, uneven, MPI_STATUS_IGNORE);
    END;
}
