/* trap: what rank 0 has before is not 0; a sum of products, and the largest
 *
 * expect: any
 * expect: any
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int own = S, before = 7, most;
    long long wide = S, below = 0;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, before, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_File_write_at(fh, 1000 + before, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    own = rank + 1;
    MPI_Scan(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_File_write_at(fh, 2000 + most * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    wide += (1LL << 32) * rank;
    MPI_Exscan(&wide, &below, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, 3000 + below % 1000, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
