/* Remainders that do not go through the ranks as the rank does: each of two, one more
 * than there are, and the next one's place after the own. And one that does, backwards.
 *
 * args: 8
 * symbols: n=8
 * expect: resolved segmented
 * expect: any
 * expect: any
 * expect: any
 * expect: resolved segmented
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    char *buf = calloc(n, 1);
    MPI_Offset twice = 2 * rank % nprocs, more = (rank + 1) % (nprocs + 1),
               both = rank + (rank + 1) % nprocs, back = (2 * nprocs - rank) % nprocs;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)rank * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, twice * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, more * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, both * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, back * n, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
