/* trap: seeks in a view count its etypes, and bytes again once it is set back
 *
 * expect: resolved segmented
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    double b[4] = {0};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 64, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_seek(fh, rank * 8, MPI_SEEK_SET);
    MPI_File_write(fh, b, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, -2, MPI_SEEK_CUR);
    MPI_File_write(fh, b, 4 - 0 * nprocs, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_seek(fh, rank * 8, MPI_SEEK_SET);
    MPI_File_write(fh, b, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
