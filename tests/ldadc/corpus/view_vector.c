/* A vector as filetype deals blocks out among the ranks.
 *
 * args: 3
 * symbols: n=3
 * args: 7
 * symbols: n=7
 * expect: resolved interleaved
 */
#include <mpi.h>
#include <stdlib.h>
#define B 10

int main(int argc, char **argv)
{
    int rank, nprocs;
    MPI_File fh;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int n = atoi(argv[2]);
    int *buf = calloc(n * B, sizeof *buf);
    MPI_Type_vector(n, B, B * nprocs, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, (MPI_Offset)rank * B * sizeof(int), MPI_INT, type, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(fh, buf, n * B, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    free(buf);
    MPI_Finalize();
    return 0;
}
