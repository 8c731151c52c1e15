/* trap: a struct is assigned as a whole, and filled by memcpy
 *
 * expect: any
 * expect: unresolved
 */
#include <mpi.h>
#include <string.h>
#define S 16

struct place {
    MPI_Offset off;
    int count;
};

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
    struct place a = {rank * S, S}, c = {(nprocs + rank) * S, S / 2};
    a = c;
    MPI_File_write_at(fh, a.off, b, a.count, MPI_BYTE, MPI_STATUS_IGNORE);
    struct place d = {S * rank, 2};
    c.off = (rank ^ 1) * 100;
    memcpy(&d, &c, sizeof c);
    MPI_File_write_at(fh, d.off, b, d.count, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
