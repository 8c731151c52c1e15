/* trap: the offset runs through the inner loop, and further in the outer one
 *
 * args: 3 2
 * symbols: n=3 m=2
 * args: 1 5
 * symbols: n=1 m=5
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
    int n = atoi(argv[2]), m = atoi(argv[3]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Offset off = (MPI_Offset)rank * m * S;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
            off += S;
        }
        off += (MPI_Offset)(nprocs - 1) * m * S;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
