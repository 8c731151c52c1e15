/* trap: the library calls the function that writes, with places of its own choice
 * unlisted: 1
 * expect: any */
#include "corpus.h"

static MPI_File fh;

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    MPI_File_write_at(fh, *x * 100 + *y, a, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    int keys[] = {4, 2, 3, 1};
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    keys[0] += rank;
    qsort(keys, 4, sizeof *keys, compare);
    END;
}
