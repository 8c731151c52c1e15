/* trap: chars and shorts that wrap around
 *
 * expect: unresolved
 * expect: unresolved
 * expect: unresolved
 */
#include <mpi.h>
#define S 8

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    unsigned char c = 250;
    for (int i = 0; i < 9; i++) {
        MPI_File_write_at(fh, (c * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        c += 2;
    }
    unsigned short at = 65000 + rank;
    for (int i = 0; i < 3; i++, at += 300)
        MPI_File_write_at(fh, at, b, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_File_write_at(fh, (unsigned char)(i * 100 + rank), b, 1, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
