/* Views of blocks at no even distances, with empty ones, and parts of tiles.
 * expect: any; any; any; any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int lengths[5] = {1, 0, 3, 2, 1}, places[5];
    int six[6], even[6] = {2, 2, 2, 2, 2, 2};
    MPI_Aint bytes[5], lower, extent;
    MPI_Datatype kinds[5], view, rows, structure, shifted;
    for (int i = 0; i < 5; i++) {
        places[i] = i * 4 + i * i;
        bytes[i] = places[i] * sizeof(int);
        kinds[i] = MPI_INT;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            six[i * 2 + j] = i * 10 + j * 3;
    MPI_Type_indexed(5, lengths, places, MPI_INT, &view);
    MPI_Type_create_struct(5, lengths, bytes, kinds, &structure);
    MPI_Type_indexed(6, even, six, MPI_INT, &rows);
    MPI_Type_create_resized(MPI_INT, 4, 12, &shifted);
    MPI_Type_get_extent(shifted, &lower, &extent);
    MPI_Type_commit(&view);
    MPI_Type_commit(&structure);
    MPI_Type_commit(&rows);
    MPI_Type_commit(&shifted);
    OPEN;
    MPI_File_set_view(fh, rank * 1000, MPI_INT, view, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 7, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, rank * 1000 + 10000, MPI_INT, structure, "native",
                      MPI_INFO_NULL);
    MPI_File_write_at(fh, 5, b, 9, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, rank * 1000 + 20000, MPI_INT, rows, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 24, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, rank * 1000 + 30000, MPI_INT, rows, "native", MPI_INFO_NULL);
    MPI_File_write_at(fh, 3, b, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, rank * 1000 + 40000, MPI_INT, shifted, "native",
                      MPI_INFO_NULL);
    MPI_File_write(fh, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&view);
    MPI_Type_free(&structure);
    MPI_Type_free(&rows);
    MPI_Type_free(&shifted);
    END;
}
