/* trap: a file that is open to read only, and that one rank opens again and writes
 * expect: any; unresolved; any; unresolved */
#define _GNU_SOURCE
#include "corpus.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    char b[256] = "";
    int n = 0;
    MPI_File in, own;
    MPI_Offset size;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &in);
    MPI_File_close(&in);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    if (rank == 0) {
        usleep(100000);
        MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_WRONLY, MPI_INFO_NULL, &own);
        MPI_File_write_at(own, nprocs, "\1\0\0\0", 4, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&own);
    }
    MPI_File_get_size(in, &size);
    MPI_File_read_at(in, 0, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(in, nprocs, &n, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(in, 0, b, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&in);
    MPI_Finalize();
    return 0;
}
