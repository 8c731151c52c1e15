/* trap: the view changes between the writes of a loop
 * expect: any; unresolved */
#include "corpus.h"

int main(int argc, char **argv)
{
    double b[S] = {0};
    START;
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, 2, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
        MPI_File_set_view(fh, i * 1000, MPI_DOUBLE, MPI_DOUBLE, "native",
                          MPI_INFO_NULL);
    }
    for (int i = 0; i < 3; i++) {
        MPI_File_set_view(fh, 0, i % 2 ? MPI_BYTE : MPI_DOUBLE,
                          i % 2 ? MPI_BYTE : MPI_DOUBLE, "native", MPI_INFO_NULL);
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, 2, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    }
    END;
}
