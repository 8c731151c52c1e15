/* Tiles of a grid that the library deals out, by a view.
 *
 * expect: resolved interleaved
 * expect: any
 * expect: resolved segmented
 */
#include <mpi.h>
#define S 16

int main(int argc, char **argv)
{
    char b[4096] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int d[2] = {0, 0}, tile[2] = {4, 4}, whole[2], first[2];
    MPI_Datatype view;
    MPI_Dims_create(nprocs, 2, d);
    int row = rank / d[1], column = rank % d[1];
    for (int i = 0; i < 2; i++)
        whole[i] = tile[i] * d[i];
    first[0] = row * tile[0];
    first[1] = column * tile[1];
    MPI_Type_create_subarray(2, whole, tile, first, MPI_ORDER_C, MPI_INT, &view);
    MPI_Type_commit(&view);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 0, MPI_INT, view, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, b, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_write_at(fh, (rank / d[0] * d[1] + rank % d[0]) * S + 100000, b, S,
                      MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, (row * d[1] + column) * S + 200000, b, S, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_Type_free(&view);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
