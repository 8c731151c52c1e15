/* trap: loops that are left in two ways, or only on some ranks
 *
 * expect: any
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int k = 0, more = 10;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    while (1) {
        if (k >= 7)
            break;
        if (rank + k > 5)
            break;
        MPI_File_write_at(fh, (k * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        k++;
    }
    while (more > 0) {
        if (more < 4)
            break;
        MPI_File_write_at(fh, 10000 + (more * nprocs + rank) * S, b, S, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        more -= 2;
    }
    MPI_File_write_at(fh, 20000 + (k + more) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
