/* trap: printf() stores how much it has printed
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = 0;
    printf("%*d%n\n", rank + 1, 1, &n);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, n * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
