/* trap: streams that write to variables of the program: to their buffer, to memory that
 * is taken for a file, and by a function of the program
 *
 * expect: unresolved
 * expect: unresolved
 * expect: unresolved
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#define S 16

static char buffer[256], file[256];

static ssize_t put(void *cookie, const char *text, size_t n)
{
    (void)text;
    *(int *)cookie = n;
    return n;
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank, nprocs, place;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    FILE *f = fopen("/dev/null", "w");
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    buffer[0] = 1;
    fprintf(f, "%d", rank + 3);
    MPI_File_write_at(fh, buffer[0] * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);

    f = fmemopen(file, sizeof file, "w");
    file[0] = 1;
    fprintf(f, "%d", rank + 3);
    fflush(f);
    MPI_File_write_at(fh, file[0] * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);

    f = fopencookie(&place, "w", (cookie_io_functions_t){.write = put});
    place = 1;
    fprintf(f, "%*d", rank + 3, rank);
    fflush(f);
    MPI_File_write_at(fh, place * S, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0 * nprocs;
}
