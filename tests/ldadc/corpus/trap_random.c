/* trap: random places, the clock and the environment
 *
 * expect: unresolved
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    const char *level = getenv("SHLVL");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    srand(rank + 1);
    for (int i = 0; i < 4; i++)
        MPI_File_write_at(fh, (MPI_Offset)(rand() % 100) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_Offset seconds = time(NULL) % 60;
    MPI_File_write_at(fh, seconds * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, level ? rank * S : 0, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
