/* trap: numbers that are read from text: by sscanf, from a name, as a length
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#include <stdio.h>
#define S 16

int main(int argc, char **argv)
{
    char text[32];
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    int length = snprintf(text, sizeof text, "%d", rank * 7 + 5), at = 0;
    sscanf(text, "%d", &at);
    MPI_File_write_at(fh, at * S, text, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 100, text, length, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
