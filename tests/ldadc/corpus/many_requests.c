/* Several nonblocking writes under way at once.
 * expect: resolved interleaved */
#include "corpus.h"
#define N 6

int main(int argc, char **argv)
{
    static char b[N][S];
    MPI_Request requests[N];
    MPI_Status statuses[N];
    START;
    for (int i = 0; i < N; i++)
        MPI_File_iwrite_at(fh, (i * nprocs + rank) * S, b[i], S, MPI_BYTE,
                           &requests[i]);
    MPI_Waitall(N, requests, statuses);
    END;
}
