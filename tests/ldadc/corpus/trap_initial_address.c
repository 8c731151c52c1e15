/* trap: a table of options begins with the addresses of what it sets
 *
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define S 16

static int count = 1, shift = 0;

static const struct {
    const char *name;
    int *to;
} options[] = {{"count", &count}, {"shift", &shift}, {NULL, NULL}};

static void set(const char *name, const char *value)
{
    for (int i = 0; options[i].name; i++)
        if (!strcmp(options[i].name, name))
            *options[i].to = atoi(value);
}

int main(int argc, char **argv)
{
    char b[S] = "";
    int rank;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set("shift", "3");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at(fh, (MPI_Offset)(rank * count + shift) * S, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
