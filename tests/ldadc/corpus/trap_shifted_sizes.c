/* trap: sizes by shifts, and a shift by the loop's variable
 *
 * args: 3
 * symbols: k=3
 * args: 5
 * symbols: k=5
 * expect: any
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char b[64] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int k = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)rank << k, b, 1 << k, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(fh, ((MPI_Offset)nprocs << 4 << i) + rank, b, 1, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
