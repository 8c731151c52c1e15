/* trap: a function is called through a table in a struct
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

struct mover {
    void (*move)(MPI_Offset *off);
};

static void far(MPI_Offset *off)
{
    *off = 9000 - *off;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    const struct mover m = {far};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Offset off = rank * S;
    m.move(&off);
    MPI_File_write_at(fh, off, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
