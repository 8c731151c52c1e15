/* trap: offsets that are sent by another rank
 *
 * symbols: base=77
 * expect: unresolved
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
    long long off = rank * S, base = rank;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Sendrecv_replace(&off, 1, MPI_LONG_LONG, (rank + 1) % nprocs, 0,
                         (rank + nprocs - 1) % nprocs, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank == 0)
        base = 77;
    MPI_Bcast(&base, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_File_write_at(fh, base + rank * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
