/* One function for all types: it asks for their size.
 * expect: any */
#include "corpus.h"

static void put(MPI_File fh, int rank, const void *b, int n, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    MPI_File_write_at(fh, (MPI_Offset)rank * n * size, b, n, type, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double d[5] = {0};
    START;
    put(fh, rank, d, 5, MPI_DOUBLE);
    put(fh, rank, d, 10, MPI_INT);
    put(fh, rank, d, 40 - 0 * nprocs, MPI_CHAR);
    END;
}
