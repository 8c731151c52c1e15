/* trap: the handle may be another file's
 * args: 1; 0
 * symbols: second=1; second=0
 * expect: any; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[S] = "", name[1000];
    START;
    int second = atoi(argv[2]);
    MPI_File_seek(fh, rank * S, MPI_SEEK_SET);
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    if (second) {
        snprintf(name, sizeof name, "%s.2", argv[1]);
        MPI_File_close(&fh);
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh);
    }
    MPI_File_write(fh, b, S, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
