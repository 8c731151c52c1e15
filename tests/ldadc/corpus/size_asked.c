/* a share of a file, by its size, that a closed handle has written; each number of
 * bytes that is asked for is a name of its own
 * symbols: size_2=960 rest_2=48
 * expect: resolved alone; resolved segmented; resolved segmented
 * expect: resolved overlapped */
#include "corpus.h"
#define ALL 960
#define HEAD 48

int main(int argc, char **argv)
{
    static char b[ALL];
    MPI_File fh, in;
    MPI_Offset size, rest;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (rank == 0)
        WRITE_BYTES(0, b, ALL);
    MPI_File_close(&fh);

    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_File_get_size(in, &size);
    int ints = size / (nprocs * sizeof(int));
    MPI_Offset offset = rank * ints * sizeof(int);
    MPI_File_read_at(in, offset, b, ints, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(in, size / nprocs * rank, MPI_SEEK_SET);
    MPI_File_read(in, b, size / nprocs, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&in);

    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, HEAD);
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_File_get_size(in, &rest);
    MPI_File_read_at_all(in, 0, b, rest, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&in);
    MPI_Finalize();
    return 0;
}
