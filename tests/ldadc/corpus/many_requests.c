/* Several nonblocking writes under way at once.
 *
 * expect: resolved interleaved
 */
#include <mpi.h>
#define N 6
#define S 16

int main(int argc, char **argv)
{
    static char b[N][S];
    MPI_Request requests[N];
    MPI_Status statuses[N];
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < N; i++)
        MPI_File_iwrite_at(fh, (i * nprocs + rank) * S, b[i], S, MPI_BYTE,
                           &requests[i]);
    MPI_Waitall(N, requests, statuses);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
