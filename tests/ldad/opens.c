/* Counts the collective calls of MPI in an open, a sync and a close of a container, on
 * rank 0, a line for each act. Linked with tests/unit/pmpi.c, which counts. */
#include "../unit/pmpi.h"
#include <ldad.h>
#include <stdio.h>

static int rank;

static void act(const char *what, int failed)
{
    static long before;
    if (rank == 0)
        printf("%s %ld%s\n", what, pmpi_calls - before, failed ? " failed" : "");
    before = pmpi_calls;
}

int main(int argc, char **argv)
{
    ldad_file fh;
    MPI_Info info;
    char plan[200], data[1000] = "data";
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info_create(&info);
    MPI_Info_set(info, "ldad_method", "partitioned");
    snprintf(plan, sizeof plan, "ranks=%d step=1000 end=%d start=0 [size=1000]", ranks,
             ranks * 1000);
    MPI_Info_set(info, "ldad_plan", plan);
    act("nothing", argc != 2);
    act("create", ldad_file_open(MPI_COMM_WORLD, argv[1],
                                 MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    act("write", ldad_file_write_at_all(fh, rank * 1000, data, 1000, MPI_BYTE,
                                        MPI_STATUS_IGNORE));
    act("sync", ldad_file_sync(fh));
    act("close", ldad_file_close(&fh));
    act("read", ldad_file_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, info, &fh));
    act("close", ldad_file_close(&fh));
    act("update", ldad_file_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, info, &fh));
    act("close", ldad_file_close(&fh));
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
