/* trap: a pointer to a member of a struct
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

struct state {
    int pad;
    MPI_Offset off;
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
    struct state s = {0, 0};
    struct state *p = &s;
    MPI_Offset *q = &p->off;
    s.off = rank * S;
    for (int i = 0; i < 4; i++) {
        MPI_File_write_at(fh, s.off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
        *q += (nprocs + i) * S;
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
