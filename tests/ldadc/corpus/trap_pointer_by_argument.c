/* A pointer that the arguments choose: all ranks have the same, and it is either.
 *
 * trap: what is stored through it changes one of two variables
 * args: 4
 * args: 4 5
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, a = 4, b = 8;
    char c = 4, d = 8, buf[16] = "";
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *p = argc > 3 ? &a : &b;
    char *q = argc > 3 ? &c : &d;
    *p = atoi(argv[2]) + 3;
    *q = (char)(*p + 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, rank * b, buf, a, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * d, buf, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
