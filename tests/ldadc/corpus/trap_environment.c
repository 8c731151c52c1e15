/* trap: numbers of the environment, or of each rank's own argument
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
    char b[S] = "", name[32];
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    snprintf(name, sizeof name, "%d", rank * rank);
    setenv("LEADLINE_PLACE", name, 1);
    int place = atoi(getenv("LEADLINE_PLACE"));
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, place * S, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    argv[1] = name;
    int other = atoi(argv[1]);
    MPI_File_write_at(fh, other * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
