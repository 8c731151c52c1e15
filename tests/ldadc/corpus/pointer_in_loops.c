/* A seek for each row, then its pieces one after the other.
 *
 * args: 2 3
 * symbols: rows=2 pieces=3
 * args: 3 1
 * symbols: rows=3 pieces=1
 * expect: resolved interleaved
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
    int rows = atoi(argv[2]), pieces = atoi(argv[3]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int r = 0; r < rows; r++) {
        MPI_File_seek(fh, (MPI_Offset)(r * nprocs + rank) * pieces * S, MPI_SEEK_SET);
        for (int p = 0; p < pieces; p++)
            MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
