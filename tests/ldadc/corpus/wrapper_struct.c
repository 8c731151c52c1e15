/* Handle, sizes and place are in a struct that is passed on by its address.
 * args: 3 50; 1 7
 * symbols: out.chunk=50 count=3 chunk=50; out.chunk=7 count=1 chunk=7
 * expect: resolved interleaved */
#include <mpi.h>
#include <stdlib.h>

struct output {
    MPI_File fh;
    int rank, nprocs;
    MPI_Offset chunk;
    char *buf;
};

static int output_put(const struct output *o, MPI_Offset i)
{
    return MPI_File_write_at(o->fh, (i * o->nprocs + o->rank) * o->chunk, o->buf,
                             (int)o->chunk, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void output_open(struct output *o, const char *path)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &o->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &o->nprocs);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &o->fh);
}

int main(int argc, char **argv)
{
    struct output out;
    MPI_Init(&argc, &argv);
    int count = atoi(argv[2]);
    out.chunk = atoi(argv[3]);
    out.buf = calloc(out.chunk, 1);
    output_open(&out, argv[1]);
    for (int i = 0; i < count; i++)
        output_put(&out, i);
    MPI_File_close(&out.fh);
    free(out.buf);
    MPI_Finalize();
    return 0;
}
