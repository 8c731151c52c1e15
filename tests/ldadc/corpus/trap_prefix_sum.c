/* trap: each rank's place is the sum of the sizes before it
 *
 * expect: any
 * expect: unresolved
 */
#include <mpi.h>
#define S 64

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    long long mine = 8 + rank * rank, before = 0;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at(fh, before, b, (int)mine, MPI_BYTE, MPI_STATUS_IGNORE);
    int sizes[64];
    int size = 5 + rank;
    MPI_Allgather(&size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Offset at = 1000;
    for (int r = 0; r < rank; r++)
        at += sizes[r];
    MPI_File_write_at(fh, at, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
