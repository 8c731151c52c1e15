/* An option of the command line that ends the program, where others do not.
 * args: -n 3
 * symbols: n=3
 * expect: any */
#include "corpus.h"
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
    WRITE_BYTES(rank * n, b, n);
    END;
}
