/* The communicator is a copy, that a function is given.
 * expect: any */
#include <mpi.h>
#define S 16

static void put_all(MPI_Comm comm, const char *path)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nprocs);
    MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    put_all(copy, argv[1]);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
