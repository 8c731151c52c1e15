/* trap: options in any order, the last one counts
 * args: -n 3 -s 24; -s 8 -n 2 -n 5;
 * symbols: n=3 size=24; n=5 size=8; n=2 size=16
 * expect: any */
#include "corpus.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    int n = 2, size = 16, option;
    MPI_File fh;
    BEGIN;
    while ((option = getopt(argc, argv, "n:s:")) != -1)
        switch (option) {
        case 'n':
            n = atoi(optarg);
            break;
        case 's':
            size = atoi(optarg);
            break;
        default:
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    char *b = calloc(size, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[optind], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    for (int i = 0; i < n; i++)
        WRITE_BYTES(((MPI_Offset)i * nprocs + rank) * size, b, size);
    free(b);
    END;
}
