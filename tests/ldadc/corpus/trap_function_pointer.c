/* trap: the call is made through a pointer to the function
 *
 * unlisted: 1
 * expect: any
 */
#include <mpi.h>
#define S 16

typedef int writes(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *);
typedef void *offsets(MPI_Offset *);

static void *jump(MPI_Offset *off)
{
    *off = 4096 - *off;
    return off;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    writes *put = MPI_File_write_at;
    offsets *change = jump;
    MPI_Offset off = rank * S;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    put(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    change(&off);
    MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
