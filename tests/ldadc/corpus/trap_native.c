/* "native", in an array that may hold another text by then
 * trap: a view with a representation that MPI does not know is not set
 * args: 100
 * symbols: size=100
 * expect: resolved segmented; unresolved */
#include "corpus.h"

static void set(MPI_File fh, MPI_Offset at, int size, char *representation)
{
    int lengths[1];
    MPI_Aint places[1];
    MPI_Datatype type;
    lengths[0] = size;
    places[0] = 0;
    MPI_Type_create_hindexed(1, lengths, places, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(fh, at, MPI_BYTE, type, representation, MPI_INFO_NULL);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    char representation[] = "native", other[16] = "native";
    START;
    int size = atoi(argv[2]);
    char *b = calloc(size, 1);
    set(fh, (MPI_Offset)rank * size, size, representation);
    MPI_File_write(fh, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    other[0] = 'N';
    set(fh, (MPI_Offset)rank * size * 2, size, other);
    MPI_File_read(fh, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    free(b);
    END;
}
