/* trap: a variable of the file is changed in a function that is called in the loop
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

static MPI_Offset off;
static int calls;

static void count(void)
{
    if (++calls == 2)
        off += 4096;
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
    off = rank * S;
    for (int i = 0; i < 4; i++) {
        MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        off += nprocs * S;
        count();
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
