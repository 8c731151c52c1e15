/* A resized type as filetype, as many codes write one column each.
 *
 * args: 4
 * symbols: n=4
 * args: 1
 * symbols: n=1
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    double *column = calloc(n, sizeof *column);
    MPI_Type_create_resized(MPI_DOUBLE, 0, nprocs * sizeof(double), &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, rank * sizeof(double), MPI_DOUBLE, type, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(fh, column, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    free(column);
    MPI_Finalize();
    return 0;
}
