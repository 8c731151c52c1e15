/* The paper's Figure 2 with bytes.
 * expect: resolved interleaved */
#include <mpi.h>
#define SIZE 512
#define K 5

int main(int argc, char **argv)
{
    char buf[SIZE] = {0};
    int mynod, nprocs, i;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &mynod);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (i = 0; i < K; i++) {
        MPI_Offset offset = (MPI_Offset)i * nprocs * SIZE + mynod * SIZE;
        MPI_File_write_at(fh, offset, buf, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
