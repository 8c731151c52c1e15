/* trap: streams that write to variables of the program: to their buffer, to memory that
 * is taken for a file, and by a function of the program
 * expect: unresolved; unresolved; unresolved */
#define _GNU_SOURCE
#include "corpus.h"

static char buffer[256], file[256];

static ssize_t put(void *cookie, const char *text, size_t n)
{
    (void)text;
    *(int *)cookie = n;
    return n;
}

int main(int argc, char **argv)
{
    int place;
    START_B;
    FILE *f = fopen("/dev/null", "w");
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    buffer[0] = 1;
    fprintf(f, "%d", rank + 3);
    WRITE_BLOCK(buffer[0] * S);

    f = fmemopen(file, sizeof file, "w");
    file[0] = 1;
    fprintf(f, "%d", rank + 3);
    fflush(f);
    WRITE_BLOCK(file[0] * S);

    f = fopencookie(&place, "w", (cookie_io_functions_t){.write = put});
    place = 1;
    fprintf(f, "%*d", rank + 3, rank);
    fflush(f);
    WRITE_BLOCK(place * S);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0 * nprocs;
}
