/* trap: a pointer that is to one of two variables, depending on the rank
 *
 * expect: unresolved
 * expect: unresolved
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
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Offset one = rank * S, two = (nprocs + rank) * S, *p;
    p = rank % 2 ? &one : &two;
    *p += 1000;
    MPI_File_write_at(fh, one, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, two, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
