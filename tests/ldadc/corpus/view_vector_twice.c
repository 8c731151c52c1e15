/* A second write goes on where the first ended, within the filetype's second copy.
 *
 * trap: the filetype ends with its last block, not with a gap
 * expect: any
 * expect: any
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, nprocs, buf[6] = {0};
    MPI_File fh;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Type_vector(3, 1, nprocs, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, rank * 4, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_File_write(fh, buf, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 2, buf, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
