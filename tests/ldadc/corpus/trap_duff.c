/* trap: a loop whose body is entered in its middle
 *
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int i = 0;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    switch (rank % 2) {
        do {
        case 0:
            MPI_File_write_at(fh, (2 * i * nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
            i++; /* fall through */
        case 1:
            MPI_File_write_at(fh, (2 * i * nprocs + nprocs + rank) * S, b, S, MPI_BYTE,
                              MPI_STATUS_IGNORE);
        } while (i < 3);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
