/* trap: the pointer is only moved on some ranks, or in some iterations
 *
 * expect: any
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
    if (rank % 2)
        MPI_File_seek(fh, 640, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * 320, MPI_SEEK_SET);
    for (int i = 0; i < 4; i++) {
        MPI_File_write(fh, b, S / nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        if (i == 2)
            MPI_File_seek(fh, S, MPI_SEEK_CUR);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
