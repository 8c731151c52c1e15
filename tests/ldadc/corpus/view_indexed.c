/* views of blocks of one length at one distance, in units and in bytes
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Datatype blocks, tile;
    int length[3] = {2, 2, 2}, at[3];
    MPI_Aint place[3];
    at[0] = 2 * rank;
    at[1] = 2 * (nprocs + rank);
    at[2] = 2 * (2 * nprocs + rank);
    place[0] = S * rank;
    place[1] = S * (nprocs + rank);
    place[2] = S * (2 * nprocs + rank);
    MPI_Type_indexed(3, length, at, MPI_DOUBLE, &blocks);
    MPI_Type_create_resized(blocks, 0, 3 * S * nprocs, &tile);
    MPI_Type_commit(&tile);
    OPEN;
    MPI_File_set_view(fh, 0, MPI_DOUBLE, tile, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 12, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_Type_create_hindexed_block(3, S, place, MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, 3 * S * nprocs, &tile);
    MPI_Type_commit(&tile);
    MPI_File_set_view(fh, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL);
    MPI_File_read(fh, b, 3 * S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
