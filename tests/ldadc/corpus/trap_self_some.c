/* trap: some ranks make a file by themselves
 *
 * expect: unresolved
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
    char name[1000];
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &fh);
    if (rank % 2)
        MPI_File_write_at(fh, S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank != 1)
        MPI_File_write_at(fh, 2 * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
