/* Some ranks transfer something, and others nothing.
 *
 * expect: resolved segmented
 * expect: any
 * expect: any
 * expect: any
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
    int more = rank == nprocs - 1 ? 0 : 1;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (rank % 2 == 0)
        MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_File_write_at(fh, 1000 + (rank - 1) * S, b, S * (1 + more), MPI_BYTE,
                          MPI_STATUS_IGNORE);
    else if (nprocs > 2)
        MPI_File_write_at(fh, 2000, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        if (rank < nprocs - 1)
            MPI_File_write_at(fh, 3000 + (i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
