/* trap: a function that returns before its call on some ranks
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

static void put(MPI_File fh, int rank, int i)
{
    char b[S] = "";
    if (rank % 2)
        return;
    MPI_File_write_at(fh, (rank + i * 10) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++)
        put(fh, rank, i);
    if (nprocs > 2)
        goto out;
    MPI_File_write_at(fh, rank * S, &rank, sizeof rank, MPI_BYTE, MPI_STATUS_IGNORE);
out:
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
