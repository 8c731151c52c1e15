/* trap: the rank's variable is an element, or a member that is changed
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#define S 16

struct me {
    int rank, of;
};

static void turn(struct me *m)
{
    m->rank = m->of - 1 - m->rank;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int ids[2] = {7, 7};
    struct me m;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &ids[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.of);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (ids[0] + ids[1]) * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    turn(&m);
    MPI_File_write_at(fh, m.rank * S, b, S - 0 * (nprocs + rank), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
