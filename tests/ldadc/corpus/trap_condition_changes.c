/* trap: what the command line said is changed before it is asked for again
 *
 * args: 1
 * symbols: more=1
 * args: 0
 * symbols: more=0
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
    int more = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (more)
        MPI_File_write_at(fh, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    more = rank % 2;
    if (more)
        MPI_File_write_at(fh, (nprocs + rank) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
