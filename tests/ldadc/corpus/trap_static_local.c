/* trap: a static variable keeps its value from call to call
 *
 * expect: any
 */
#include <mpi.h>
#define S 16

static void put(MPI_File fh, int rank, int nprocs)
{
    static int calls = 0;
    char b[S] = "";
    MPI_File_write_at(fh, (calls * nprocs + rank) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    calls += 2;
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
        put(fh, rank, nprocs);
    put(fh, rank, nprocs);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
