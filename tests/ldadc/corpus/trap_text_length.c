/* trap: texts that are longer or shorter than they seem: cut, changed in part, with a 0
 * within, and other ones on other ranks
 * expect: any; any; any; any; any; any */
#include "corpus.h"

static void shorten(char *s, int n)
{
    s[n] = '\0';
}

int main(int argc, char **argv)
{
    char a[64], b[64] = "twelve bytes", c[64] = "twelve bytes";
    const char *d = "with\0in", *e = "one";
    START;
    volatile int room = 4;
    snprintf(a, room, "twelve bytes");
    MPI_File_write_at(fh, rank * 99, a, strlen(a), MPI_CHAR, MPI_STATUS_IGNORE);
    b[rank + 1] = '\0';
    MPI_File_write_at(fh, rank * 99, b, strlen(b), MPI_CHAR, MPI_STATUS_IGNORE);
    shorten(c, rank + 2);
    MPI_File_write_at(fh, rank * 99, c, strlen(c), MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 99, d, strlen(d), MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank == 0)
        e = "three";
    MPI_File_write_at(fh, rank * 99, e, strlen(e), MPI_CHAR, MPI_STATUS_IGNORE);
    strcpy(a, "twelve bytes");
    strcat(a, argc > 1 ? " and more" : "");
    MPI_File_write_at(fh, rank * 99, a, strlen(a), MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0 * nprocs;
}
