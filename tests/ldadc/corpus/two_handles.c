/* Two handles on one file: each has a pointer and a view of its own.
 * trap: the pointers of two handles
 * expect: resolved segmented; resolved overlapped; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char buf[24] = "";
    MPI_File out, in;
    BEGIN;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &out);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in);
    MPI_File_seek(out, rank * 48, MPI_SEEK_SET);
    MPI_File_write(out, buf, 24, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read(in, buf, 24, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write(out, buf, 24, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&out);
    MPI_File_close(&in);
    MPI_Finalize();
    return 0;
}
