/* A view for each step, then a write at its beginning.
 * args: 3; 1
 * symbols: n=3; n=1
 * expect: resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    START_B;
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        MPI_File_set_view(fh, ((MPI_Offset)i * nprocs + rank) * S, MPI_BYTE, MPI_BYTE,
                          "native", MPI_INFO_NULL);
        MPI_File_write_all(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    END;
}
