/* trap: a view of a structure whose end the compiler's rules move
 * expect: unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    MPI_Datatype pair, kinds[2] = {MPI_INT, MPI_CHAR};
    int length[2] = {1, 1};
    MPI_Aint place[2] = {0, 4};
    MPI_Type_create_struct(2, length, place, kinds, &pair);
    MPI_Type_commit(&pair);
    OPEN;
    MPI_File_set_view(fh, rank * 4 * S, MPI_BYTE, pair, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 15, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
