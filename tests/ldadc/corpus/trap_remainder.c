/* trap: one rank too many gets one more; a remainder that no rank shares
 *
 * args: 10
 * symbols: n=10
 * args: 4
 * symbols: n=4
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]), q = n / nprocs, m = n % nprocs;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, rank * q + (rank < m ? rank : m), b, q + (rank <= m),
                      MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, 1000 + rank * q, b, q + (rank > m ? 1 : 2), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
