/* trap: unsigned numbers wrap around by the language's rules: it is no overflow
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    char b[16];
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    unsigned off = (unsigned)rank * 3000000000u;
    MPI_File_read_at(fh, off, b, 16, MPI_BYTE, MPI_STATUS_IGNORE);
    unsigned one = 1;
    MPI_Offset before = rank - one;
    MPI_File_read_at(fh, before, b, nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
