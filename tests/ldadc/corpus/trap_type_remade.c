/* trap: one variable for several types, and types in an array
 *
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: any
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    double b[8] = {0};
    MPI_Datatype type, types[2] = {MPI_INT, MPI_DOUBLE};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(fh, rank * 64, b, 4, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_write_at(fh, rank * 64, b, 4 - 0 * nprocs, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_File_write_at(fh, rank * 64, b, 4, types[rank % 2], MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
