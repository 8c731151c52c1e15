/* The paper's Figure 2 with a view of doubles: offsets count them.
 * expect: resolved interleaved */
#include <mpi.h>
#define SIZE 32
#define K 2

int main(int argc, char **argv)
{
    static double buf[SIZE];
    int mynod, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &mynod);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    for (int i = 0; i < K; i++)
        MPI_File_write_at(fh, i * nprocs * SIZE + mynod * SIZE, buf, SIZE, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
