/* perf's form: the individual pointer is set, then used.
 * expect: resolved segmented; resolved segmented */
#include <mpi.h>
#include <stdlib.h>
#define SIZE (64 * 4)

int main(int argc, char **argv)
{
    int *buf, mynod;
    MPI_File fh;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mynod);
    buf = (int *)malloc(SIZE);
    for (int i = 0; i < 64; i++)
        buf[i] = mynod;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_seek(fh, mynod * SIZE, MPI_SEEK_SET);
    MPI_File_write(fh, buf, SIZE, MPI_BYTE, &status);
    MPI_File_sync(fh);
    MPI_File_seek(fh, mynod * SIZE, MPI_SEEK_SET);
    MPI_File_read(fh, buf, SIZE / 4, MPI_INT, &status);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
