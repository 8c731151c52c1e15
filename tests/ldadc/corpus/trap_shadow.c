/* trap: an inner variable hides an outer one
 *
 * expect: resolved disjoint
 * expect: resolved segmented
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Offset off = rank * S;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < 3; i++) {
        MPI_Offset off = (i * nprocs + rank) * 2 * S;
        MPI_File_write_at(fh, off, b, 2 * S > (int)sizeof b ? S : 0, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        off += 1000;
    }
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
