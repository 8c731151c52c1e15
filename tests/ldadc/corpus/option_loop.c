/* An option of the command line that ends the program, where others do not.
 * args: -n 3
 * symbols: n=3
 * expect: any */
#include "corpus.h"
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int n = 1, c;
    while ((c = getopt(argc, argv, "n:h")) != -1)
        switch (c) {
        case 'n':
            n = atoi(optarg);
            break;
        default:
            exit(1);
        }
    OPEN;
    MPI_File_write_at(fh, rank * n, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
