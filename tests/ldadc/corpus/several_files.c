/* Two files in turn, as a solver does that keeps the last two steps.
 * expect: resolved segmented; resolved segmented; resolved segmented */
#include "corpus.h"

int main(int argc, char **argv)
{
    char buf[24] = "", other[1000];
    MPI_File a, b;
    BEGIN;
    snprintf(other, sizeof other, "%s.2", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &a);
    MPI_File_open(MPI_COMM_WORLD, other, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &b);
    MPI_File_write_at(a, rank * 24, buf, 24, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(a, rank * 24, buf, 12, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(b, rank * 12, buf, 12, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&a);
    MPI_File_close(&b);
    MPI_Finalize();
    return 0;
}
