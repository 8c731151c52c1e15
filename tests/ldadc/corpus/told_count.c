/* rank 0 finds numbers and tells the others
 * args: 3
 * symbols: n=7 p_rows=5
 * expect: resolved interleaved; resolved interleaved */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    BEGIN;
    struct {
        int rows;
        double scale;
    } p = {0, 0};
    int n = 0;
    if (rank == 0) {
        n = atoi(argv[2]) * 2 + 1;
        p.rows = n - 2;
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
    OPEN;
    for (int i = 0; i < n; i++)
        WRITE_BLOCK((i * nprocs + rank) * S);
    for (int i = 0; i < p.rows; i++)
        MPI_File_read_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    END;
}
