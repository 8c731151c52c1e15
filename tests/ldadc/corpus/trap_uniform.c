/* trap: the command line decides whether, and where
 *
 * args: 1
 * symbols: slabs=1 off=4000
 * args: 0
 * symbols: slabs=0 off=0
 * expect: any
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int slabs = atoi(argv[2]);
    MPI_Offset off = 0;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++)
        if (slabs)
            MPI_File_write_at(fh, (rank * 3 + i) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
        else
            MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
    if (slabs)
        off = 4000;
    MPI_File_write_at(fh, off + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
