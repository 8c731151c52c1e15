/* trap: the view changes between the writes of a loop
 *
 * expect: any
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    double b[S] = {0};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++) {
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, 2, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
        MPI_File_set_view(fh, i * 1000, MPI_DOUBLE, MPI_DOUBLE, "native",
                          MPI_INFO_NULL);
    }
    for (int i = 0; i < 3; i++) {
        MPI_File_set_view(fh, 0, i % 2 ? MPI_BYTE : MPI_DOUBLE,
                          i % 2 ? MPI_BYTE : MPI_DOUBLE, "native", MPI_INFO_NULL);
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, 2, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
