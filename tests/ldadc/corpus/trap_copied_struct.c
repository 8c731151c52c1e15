/* trap: a function changes its copy, and another the original
 *
 * expect: resolved segmented
 * expect: resolved segmented
 */
#include <mpi.h>
#define S 16

struct place {
    MPI_Offset at;
    struct {
        int n;
    } how;
};

static void copy(struct place p)
{
    p.at += 1000;
    p.how.n = 1;
}

static void original(struct place *p)
{
    struct place other = *p;
    other.at = p->how.n;
    p->at += 2000 - other.at + S;
    p->how.n /= 2;
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
    struct place p = {.at = rank * S, .how = {.n = S}};
    copy(p);
    MPI_File_write_at(fh, p.at, b, p.how.n, MPI_BYTE, MPI_STATUS_IGNORE);
    original(&p);
    MPI_File_write_at(fh, p.at, b, p.how.n - 0 * nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
