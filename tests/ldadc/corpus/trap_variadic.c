/* trap: values that go through a variable argument list
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <stdarg.h>
#define S 16

static void put(MPI_File fh, const char *b, ...)
{
    va_list list;
    va_start(list, b);
    int slot = va_arg(list, int);
    va_end(list);
    MPI_File_write_at(fh, slot * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
}

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
    put(fh, b, rank * nprocs);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
