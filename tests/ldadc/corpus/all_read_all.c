/* Each rank reads the whole of it, block by block.
 * args: 3; 1
 * symbols: n=3; n=1
 * expect: resolved overlapped */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char buf[40];
    MPI_File fh;
    MPI_Init(&argc, &argv);
    int n = atoi(argv[2]);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_size(fh, 40 * n);
    for (int i = 0; i < n; i++)
        MPI_File_read_at_all(fh, i * 40, buf, 40, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
