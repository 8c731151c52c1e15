/* trap: a view of blocks that are not of one length, nor at one distance
 *
 * expect: any
 * expect: any
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define S 16

int main(int argc, char **argv)
{
    char b[S * 16] = "";
    int rank, nprocs;
    MPI_File fh;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Datatype blocks;
    int length[2] = {1, 2}, even[3] = {1, 1, 1}, at[3] = {0, 2, 5};
    MPI_Type_indexed(2, length, at, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, rank * S, MPI_INT, blocks, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_indexed(3, even, at, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(fh, rank * S, MPI_INT, blocks, "native", MPI_INFO_NULL);
    MPI_File_read(fh, b, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
