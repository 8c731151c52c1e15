/* trap: a view of a structure whose end the compiler's rules move
 *
 * expect: unresolved
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
    MPI_Datatype pair, kinds[2] = {MPI_INT, MPI_CHAR};
    int length[2] = {1, 1};
    MPI_Aint place[2] = {0, 4};
    MPI_Type_create_struct(2, length, place, kinds, &pair);
    MPI_Type_commit(&pair);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, rank * 4 * S, MPI_BYTE, pair, "native", MPI_INFO_NULL);
    MPI_File_write(fh, b, 15, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
