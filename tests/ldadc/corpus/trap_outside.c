/* trap: a variable that another file of the program sets
 *
 * outside: parts/outside.c
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

extern MPI_Offset base;
MPI_Offset step = 32;
void change(int rank);

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
    change(rank);
    MPI_File_write_at(fh, base + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * step, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
