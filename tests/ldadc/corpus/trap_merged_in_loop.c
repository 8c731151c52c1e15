/* trap: the command line decides how the offset runs
 *
 * args: 1
 * symbols: wide=1 wide_64_32=64
 * args: 0
 * symbols: wide=0 wide_64_32=32
 * expect: unresolved
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
    int wide = atoi(argv[2]);
    MPI_Offset off = rank * S;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 4; i++) {
        MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        if (wide)
            off += 2 * nprocs * S;
        else
            off += nprocs * S;
    }
    int step = wide ? 64 : 32;
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(fh, (i * nprocs + rank) * step, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
