/* The last block is as short as the file's end wants it.
 *
 * trap: the last chunk has another size than the others
 * args: 1000 300
 * symbols: total=1000 block=300
 * args: 900 300
 * symbols: total=900 block=300
 * expect: any
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Offset total = atoll(argv[2]), block = atoll(argv[3]);
    char *buf = calloc(block, 1);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    for (MPI_Offset at = rank * block; at < total; at += nprocs * block) {
        MPI_Offset left = total - at;
        int bytes = left < block ? left : block;
        MPI_File_write_at(fh, at, buf, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
