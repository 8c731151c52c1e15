/* trap: a comparison of a signed with an unsigned number is unsigned
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    unsigned limit = 3;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = rank - 2; (unsigned)i < limit; i++)
        MPI_File_write_at(fh, (i + 5) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if ((unsigned)(rank - 1) > 1u)
        MPI_File_write_at(fh, rank * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
