/* trap: two members of a union
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

union both {
    MPI_Offset off;
    int parts[2];
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
    union both u;
    u.off = rank * S;
    u.parts[0] += rank % 2 * 640;
    MPI_File_write_at(fh, u.off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
