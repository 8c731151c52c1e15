/* trap: a file of each rank's own is opened with another communicator than rank's
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdio.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    int own_rank, own_size;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    MPI_Comm_rank(MPI_COMM_SELF, &own_rank);
    MPI_Comm_size(MPI_COMM_SELF, &own_size);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &fh);
    for (int i = 0; i < 2; i++)
        MPI_File_write_at(fh, (i * own_size + own_rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (nprocs + rank) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
