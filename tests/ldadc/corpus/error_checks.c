/* Every call is checked, and the program ends where one fails.
 * args: 3; 0
 * symbols: n=3; n=0
 * expect: resolved interleaved */
#include "corpus.h"
#define CHECK(call)                                                                    \
    do {                                                                               \
        int rc_ = (call);                                                              \
        if (rc_ != MPI_SUCCESS)                                                        \
            fail(rc_, #call);                                                          \
    } while (0)

static void fail(int rc, const char *what)
{
    fprintf(stderr, "%s: error %d\n", what, rc);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int n, i, failed = 0;
    int buf[25] = {0};
    MPI_File fh;
    BEGIN;
    n = atoi(argv[2]);
    CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                        MPI_INFO_NULL, &fh));
    for (i = 0; i < n; i++) {
        MPI_Offset off = 100 * ((MPI_Offset)i * nprocs + rank);
        failed |= MPI_File_write_at(fh, off, buf, 25, MPI_INT, MPI_STATUS_IGNORE);
    }
    CHECK(MPI_File_close(&fh));
    MPI_Finalize();
    return failed;
}
