/* The last rank takes what is left over.
 *
 * trap: the size depends on the rank
 * args: 10
 * symbols: n=10
 * args: 8
 * symbols: n=8
 * expect: any
 * expect: any
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
    int n = atoi(argv[2]), each = n / nprocs, rest = n % nprocs;
    int mine = each, first = rank * each;
    if (rank == nprocs - 1)
        mine = n - rank * each;
    char *buf = calloc(n, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, first, buf, mine, MPI_BYTE, MPI_STATUS_IGNORE);
    /* the first ranks take one more */
    mine = each + (rank < rest);
    first = rank * each + (rank < rest ? rank : rest);
    MPI_File_write_at(fh, first, buf, mine, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
