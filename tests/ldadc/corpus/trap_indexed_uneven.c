/* trap: a view of blocks that are not of one length, nor at one distance
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Datatype blocks;
    int length[2] = {1, 2}, even[3] = {1, 1, 1}, at[3] = {0, 2, 5};
    MPI_Type_indexed(2, length, at, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    OPEN;
    MPI_File_set_view(fh, rank * S, MPI_INT, blocks, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_indexed(3, even, at, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(fh, rank * S, MPI_INT, blocks, "native", MPI_INFO_NULL);
    MPI_File_read(fh, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    END;
}
