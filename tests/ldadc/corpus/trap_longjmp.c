/* trap: setjmp and longjmp
 *
 * expect: unresolved
 */
#include <mpi.h>
#include <setjmp.h>
#define S 16

static jmp_buf again;

int main(int argc, char **argv)
{
    char b[S] = "";
    volatile int i = 0;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    setjmp(again);
    MPI_File_write_at(fh, ((MPI_Offset)i * nprocs + rank) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    i = i + 1;
    if (i < 3)
        longjmp(again, 1);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
