/* trap: a pointer to the offset is kept in a struct
 *
 * expect: unresolved
 */
#include <mpi.h>
#define S 16

struct cursor {
    MPI_Offset *at;
};

static void keep(struct cursor *c, MPI_Offset *at)
{
    c->at = at;
}

static void jump(struct cursor *c, int i)
{
    *c->at += i * i * S;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    struct cursor c;
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_Offset off = rank * S;
    keep(&c, &off);
    for (int i = 0; i < 4; i++) {
        jump(&c, i);
        MPI_File_write_at(fh, off, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
