/* trap: the datatype depends on the command line
 *
 * args: 0
 * symbols: wide=0
 * args: 1
 * symbols: wide=1
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double b[8] = {0};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int wide = atoi(argv[2]);
    MPI_Datatype type = MPI_FLOAT;
    if (wide)
        type = MPI_DOUBLE;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, rank * 8 * sizeof(double), b, 8, type, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
