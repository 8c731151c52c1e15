/* trap: products of ints that overflow with more ranks or blocks
 *
 * expect: resolved interleaved warned
 */
#include <mpi.h>
#define SIZE (1 << 20)

int main(int argc, char **argv)
{
    static char b[SIZE];
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 2; i++) {
        MPI_Offset off = i * nprocs * SIZE + rank * SIZE;
        MPI_File_write_at(fh, off, b, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
