/* trap: the loop's bound is a variable of the file that a called function changes
 *
 * args: 6
 * symbols: left=6
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

static int left;

static void took(void)
{
    left--;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    left = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < left; i++) {
        MPI_File_write_at(fh, (i * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        took();
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
