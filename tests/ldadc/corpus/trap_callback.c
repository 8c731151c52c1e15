/* trap: a function that only the library calls changes a variable of the file
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <stdlib.h>
#define S 16

static MPI_Offset off;

static int compare(const void *a, const void *b)
{
    off += S;
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int keys[4] = {3, 1, 2, 0};
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    off = rank * 1000;
    qsort(keys, 4, sizeof *keys, compare);
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
