/* trap: two handles that change places, as a solver's do
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
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File old, other;
    snprintf(name, sizeof name, "%s.2", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &old);
    MPI_File_seek(old, 100 + rank * S, MPI_SEEK_SET);
    for (int i = 0; i < 3; i++) {
        MPI_File_read_at(old, rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_write(fh, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
        other = fh;
        fh = old;
        old = other;
    }
    MPI_File_close(&old);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
