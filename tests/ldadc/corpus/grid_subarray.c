/* Tiles of a grid that the library deals out, by a view.
 * expect: resolved interleaved; any; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int d[2] = {0, 0}, tile[2] = {4, 4}, whole[2], first[2];
    MPI_Datatype view;
    MPI_Dims_create(nprocs, 2, d);
    int row = rank / d[1], column = rank % d[1];
    for (int i = 0; i < 2; i++)
        whole[i] = tile[i] * d[i];
    first[0] = row * tile[0];
    first[1] = column * tile[1];
    MPI_Type_create_subarray(2, whole, tile, first, MPI_ORDER_C, MPI_INT, &view);
    MPI_Type_commit(&view);
    OPEN;
    MPI_File_set_view(fh, 0, MPI_INT, view, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, b, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    WRITE_BLOCK((rank / d[0] * d[1] + rank % d[0]) * S + 100000);
    WRITE_BLOCK((row * d[1] + column) * S + 200000);
    MPI_Type_free(&view);
    END;
}
