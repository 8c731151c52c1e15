/* A matrix in blocks of columns, through a file view with gaps: ranks write it
 * together, open it again, and each reads the next rank's block. views FILE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 24
#define COLUMNS 20

static int rank, ranks, block[ROWS * COLUMNS];

static MPI_File open_block(const char *name, int mode, int column)
{
    int all[] = {ROWS, COLUMNS * ranks}, mine[] = {ROWS, COLUMNS}, at[] = {0, column};
    MPI_Datatype view;
    MPI_File f;
    MPI_Type_create_subarray(2, all, mine, at, MPI_ORDER_C, MPI_INT, &view);
    MPI_Type_commit(&view);
    if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f)) {
        fprintf(stderr, "%s: cannot be opened\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_view(f, 0, MPI_INT, view, "native", MPI_INFO_NULL);
    MPI_Type_free(&view);
    return f;
}

int main(int argc, char **argv)
{
    MPI_File f;
    int next, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        block[i] = rank;
    f = open_block(argv[argc - 1], MPI_MODE_CREATE | MPI_MODE_RDWR, rank * COLUMNS);
    MPI_File_write_all(f, block, ROWS * COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    f = open_block(argv[argc - 1], MPI_MODE_RDONLY, next * COLUMNS);
    MPI_File_read_all(f, block, ROWS * COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        bad += block[i] != next;
    MPI_Finalize();
    return bad != 0;
}
