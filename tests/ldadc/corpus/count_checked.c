/* writes that are held against what their status says, within loops and around them
 * args: 4
 * symbols: n=4
 * expect: resolved interleaved; resolved segmented; resolved segmented */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x)                                                                       \
    do {                                                                               \
        int ret = x;                                                                   \
        if (ret != MPI_SUCCESS) {                                                      \
            fprintf(stderr, "failed\n");                                               \
            exit(ret);                                                                 \
        }                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    int n = atoi(argv[2]), rank, nprocs, count;
    double b[8] = {0};
    MPI_File fh;
    MPI_Status status;
    CHECK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                        MPI_INFO_NULL, &fh));
    for (int i = 0; i < n; i++) {
        CHECK(MPI_File_seek(fh, (i * nprocs + rank) * sizeof(double), MPI_SEEK_SET));
        CHECK(MPI_File_write(fh, b, 1, MPI_DOUBLE, &status));
        CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        if (1 != count) {
            fprintf(stderr, "count is wrong\n");
            exit(1);
        }
    }
    MPI_Offset at = 1000 + rank * 100;
    MPI_File_write_at(fh, at, b, 5, MPI_DOUBLE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    at += count;
    MPI_File_write_at(fh, at, b, 3, MPI_DOUBLE, &status);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
