/* Slabs of a matrix by columns through a subarray.
 *
 * args: 3 2
 * symbols: rows=3 cols=2
 * args: 5 3
 * symbols: rows=5 cols=3
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
    int rows = atoi(argv[2]), cols = atoi(argv[3]);
    int sizes[2] = {rows, cols * nprocs}, sub[2] = {rows, cols},
        starts[2] = {0, cols * rank};
    float *buf = calloc(rows * cols, sizeof *buf);
    MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 0, MPI_FLOAT, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, buf, rows * cols, MPI_FLOAT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    free(buf);
    MPI_Finalize();
    return 0;
}
