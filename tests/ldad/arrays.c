/* An array in a file that the ranks share by views: written, and read back, by calls of
 * all kinds. As plain MPI-IO, and with the calls renamed to libldad's.
 *
 *     arrays KIND FILE [KEY=VALUE ...]
 *
 * Kinds: blocks, vector, cyclic, columns, indexed, ragged. Prints errors. */
#include "hints.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 16, COPIES = 3, MOST = ROWS * COLUMNS };

static int rank, ranks, wrong;
static bool together;

static void is(const char *what, long found, long right)
{
    if (found == right)
        return;
    wrong++;
    printf("rank %d: %s: found %ld, expected %ld\n", rank, what, found, right);
}

static void subarray(int rows, int columns, int row, int column, MPI_Datatype *t)
{
    int size[2] = {ROWS, COLUMNS}, sub[2] = {rows, columns}, start[2] = {row, column};
    MPI_Type_create_subarray(2, size, sub, start, MPI_ORDER_C, MPI_INT, t);
}

static void indexed(MPI_Datatype *t)
{
    static int length[MOST], at[MOST];
    MPI_Datatype list;
    int n = 0;
    for (int i = 0; i < MOST; i++)
        if ((i * i / 3 + i / 7) % ranks == rank) { /* of no pattern */
            length[n] = 1;
            at[n++] = i;
        }
    MPI_Type_indexed(n, length, at, MPI_INT, &list);
    MPI_Type_create_resized(list, 0, MOST * (MPI_Aint)sizeof(int), t);
    MPI_Type_free(&list);
}

/* Returns the view of this rank; *disp is its begin. */
static MPI_Datatype view_of(const char *kind, MPI_Offset *disp)
{
    MPI_Datatype t, vector;
    int size[1] = {MOST}, cyclic[1] = {MPI_DISTRIBUTE_CYCLIC}, arg[1] = {3};
    int low = COLUMNS * rank / ranks + (rank == 1);
    int high = COLUMNS * (rank + 1) / ranks + (rank == 0);
    *disp = 0;
    if (!strcmp(kind, "blocks"))
        subarray(ROWS / 2, COLUMNS / 2, rank / 2 * (ROWS / 2), rank % 2 * (COLUMNS / 2),
                 &t);
    else if (!strcmp(kind, "columns"))
        subarray(ROWS, COLUMNS / ranks, 0, rank * (COLUMNS / ranks), &t);
    else if (!strcmp(kind, "ragged"))
        subarray(ROWS, high - low, 0, low, &t);
    else if (!strcmp(kind, "cyclic"))
        MPI_Type_create_darray(ranks, rank, 1, size, cyclic, arg, &ranks, MPI_ORDER_C,
                               MPI_INT, &t);
    else if (!strcmp(kind, "vector")) {
        *disp = rank * 2 * (MPI_Offset)sizeof(int);
        MPI_Type_vector(MOST / ranks / 2, 2, 2 * ranks, MPI_INT, &vector);
        MPI_Type_create_resized(vector, 0, MOST * (MPI_Aint)sizeof(int), &t);
        MPI_Type_free(&vector);
    } else
        indexed(&t);
    MPI_Type_commit(&t);
    return t;
}

static int value(int i, int copy)
{
    return (copy * 1000 + rank) * 1000 + i;
}

/* Transfers every other int of memory. */
static void transfer(MPI_File fh, int n, int copy, int writes)
{
    static int memory[2 * MOST];
    MPI_Datatype t;
    MPI_Status s;
    int count = -1, code;
    MPI_Type_vector(n, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < n; i++)
        memory[2 * i] = writes ? value(i, copy) : -1;
    MPI_Offset at = (MPI_Offset)copy * n;
    if (writes)
        code = copy == 1 && !together
                   ? MPI_File_write_at(fh, at, memory, n ? 1 : 0, t, &s)
                   : MPI_File_write_at_all(fh, at, memory, n ? 1 : 0, t, &s);
    else
        code = MPI_File_read_at_all(fh, at, memory, n ? 1 : 0, t, &s);
    is("class of a transfer", code, MPI_SUCCESS);
    MPI_Get_elements(&s, MPI_INT, &count);
    is("elements", count, n);
    for (int i = 0; i < n; i++)
        is("a value", memory[2 * i], value(i, copy));
    MPI_Type_free(&t);
}

static void run(const char *kind, const char *path, MPI_Info info)
{
    MPI_File fh;
    MPI_Offset disp, end = 0;
    MPI_Datatype t = view_of(kind, &disp);
    int size;
    MPI_Type_size(t, &size);
    size /= (int)sizeof(int);
    is("open",
       MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh),
       0);
    is("view", MPI_File_set_view(fh, disp, MPI_INT, t, "native", MPI_INFO_NULL), 0);
    MPI_Type_free(&t);
    for (int copy = 0; copy < COPIES; copy++)
        transfer(fh, size, copy, 1);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(fh);
    for (int copy = 0; copy < COPIES; copy++)
        transfer(fh, size, copy, 0);
    MPI_File_seek(fh, 0, MPI_SEEK_END);
    MPI_File_get_position(fh, &end);
#ifdef LDAD_RENAME_H /* OMPIO counts in other etypes than those of the view */
    is("the end of the view", (long)end, (long)COPIES * size);
#endif
    is("close", MPI_File_close(&fh), 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info info = hints_of(argc, argv, 3, &together);
    if (argc > 2)
        run(argv[1], argv[2], info);
    MPI_Info_free(&info);
    MPI_Finalize();
    return wrong || argc < 3;
}
