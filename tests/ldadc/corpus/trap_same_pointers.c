/* trap: two parameters point to the same variable
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

static MPI_Offset all;

static void add(MPI_Offset *to, const MPI_Offset *what)
{
    *to += *what;
    *to += *what;
}

static void more(MPI_Offset *to)
{
    *to += 16;
    all += 32;
    *to += all;
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
    MPI_Offset off = 16 + rank * S;
    add(&off, &off);
    MPI_File_write_at(fh, off, b, S - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    all = rank * 64;
    more(&all);
    MPI_File_write_at(fh, all, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
