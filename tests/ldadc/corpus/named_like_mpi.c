/* a function of the program whose name begins as those of MPI do
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"

static void MPI_Put_row(MPI_File fh, char *b, int rank)
{
    WRITE_BLOCK(rank * S);
}

int MPI_Get_row(MPI_File fh, char *b, int rank);

int main(int argc, char **argv)
{
    START_B;
    MPI_Put_row(fh, b, rank);
    MPI_Get_row(fh, b, rank);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}

int MPI_Get_row(MPI_File fh, char *b, int rank)
{
    return MPI_File_read_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}
