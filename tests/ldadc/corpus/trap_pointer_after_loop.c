/* trap: where the pointer is after a loop that is left early, and after one that is not
 *
 * args: 4
 * symbols: n=4
 * args: 0
 * symbols: n=0
 * expect: unresolved
 * expect: unresolved
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
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET);
    for (int i = 0; i < n; i++) {
        if (i > rank)
            break;
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_write(fh, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, rank * 1000, MPI_SEEK_SET);
    for (int i = 0; i < n; i++)
        MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(fh, b, 1 + 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
