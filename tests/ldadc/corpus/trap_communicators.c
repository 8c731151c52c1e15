/* trap: one function, for the world and for each rank alone
 * expect: any */
#include <mpi.h>
#include <stdio.h>
#define S 16

static void put(MPI_Comm comm, const char *path)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nprocs);
    MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (nprocs + rank) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
    char own[1000];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(own, sizeof own, "%s.%d", argv[1], rank);
    put(MPI_COMM_WORLD, argv[1]);
    put(MPI_COMM_SELF, own);
    MPI_Finalize();
    return 0;
}
