/* Compound literals, designated initialisers, generic selections, static assertions.
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"
#define TYPE(x)                                                                        \
    _Generic((x), int * : MPI_INT, float * : MPI_FLOAT, double * : MPI_DOUBLE)

_Static_assert(sizeof(double) == 8, "offsets are of doubles");
struct place {
    MPI_Offset at;
    int count;
};

static void put(MPI_File fh, const struct place *p, const double *buf)
{
    MPI_File_write_at(fh, p->at, buf, p->count, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double buf[6] = {[2] = 1.0};
    MPI_File fh;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    put(fh, &(struct place){.count = 6, .at = 48 * rank}, buf);
    MPI_File_write_at(fh, rank * 48, buf, 3, TYPE(&buf[0]), MPI_STATUS_IGNORE);
    END;
}
