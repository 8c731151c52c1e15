/* trap: the count is a variable whose address a library function was given
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <math.h>
#include <mpi.h>
#include <string.h>
#define S 64

int main(int argc, char **argv)
{
    char b[S] = "a b c";
    int exponent = S, at = 1;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    frexp(rank + 100.0, &exponent);
    MPI_File_write_at(fh, rank * S, b, exponent, MPI_BYTE, MPI_STATUS_IGNORE);
    memcpy(&at, &rank, sizeof at);
    at = at * at;
    MPI_File_write_at(fh, at * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
