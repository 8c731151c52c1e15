/* Distributed arrays: blocks, the last one smaller, cyclic ones.
 * expect: any; resolved interleaved; any */
#include "corpus.h"

int main(int argc, char **argv)
{
    char b[4096] = "";
    BEGIN;
    int d[2] = {0, 0}, whole[2] = {10, 7}, size;
    int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    int cyclic = MPI_DISTRIBUTE_CYCLIC, four = 4, all = 12 * nprocs, none[2];
    MPI_Datatype view, turns, rows;
    MPI_Dims_create(nprocs, 2, d);
    MPI_Type_create_darray(nprocs, rank, 2, whole, how, blocks, d, MPI_ORDER_C, MPI_INT,
                           &view);
    MPI_Type_create_darray(nprocs, rank, 1, &all, &cyclic, &four, &nprocs, MPI_ORDER_C,
                           MPI_INT, &turns);
    how[1] = MPI_DISTRIBUTE_NONE;
    none[0] = nprocs;
    none[1] = 1;
    MPI_Type_create_darray(nprocs, rank, 2, whole, how, blocks, none, MPI_ORDER_FORTRAN,
                           MPI_INT, &rows);
    MPI_Type_commit(&view);
    MPI_Type_commit(&turns);
    MPI_Type_commit(&rows);
    OPEN;
    MPI_File_set_view(fh, 0, MPI_INT, view, "native", MPI_INFO_NULL);
    MPI_Type_size(view, &size);
    MPI_File_write_all(fh, b, size / sizeof(int), MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 10000, MPI_INT, turns, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, b, 12, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(fh, 20000, MPI_INT, rows, "native", MPI_INFO_NULL);
    MPI_Type_size(rows, &size);
    MPI_File_write_all(fh, b, size, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Type_free(&view);
    MPI_Type_free(&turns);
    MPI_Type_free(&rows);
    END;
}
