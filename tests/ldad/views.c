/* Views and file pointers, as plain MPI-IO and with the calls renamed to libldad's:
 * both must write the same bytes. Behind a header of rank 0's, ranks write rows of
 * doubles in turn; then each reads those of the next.
 *
 *     views FILE [KEY=VALUE ...]      the keys are those of the MPI_Info
 *
 * Renamed and without keys, the plan is given in the call that opens the file. */
#include "hints.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 16, ROW = 30, ROWS = 4 };

static int rank, ranks, wrong;
static bool together; /* the method makes collective transfers only */

static void fill(double *row, int number)
{
    for (int i = 0; i < ROW; i++)
        row[i] = number * ROW + i;
}

static void check(const double *row, int number)
{
    for (int i = 0; i < ROW; i++)
        wrong += row[i] != number * ROW + i;
}

static int open_it(const char *path, MPI_Info info, int keys, MPI_File *fh)
{
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
#ifdef LDAD_RENAME_H
    int row = ROW * (int)sizeof(double);
    if (!keys)
        return ldad_file_open_plan(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, fh,
                                   "step=%d start=%d [span=%d stride=%d size=%d]", row,
                                   HEADER, ROWS * ranks * row, ranks * row, row);
#else
    (void)keys;
#endif
    return MPI_File_open(MPI_COMM_WORLD, path, mode, info, fh);
}

/* Some rows are transferred by calls that are not collective. */
static int alone(int k)
{
    return k < 2 && !together;
}

/* Writes rows, with both ways of setting the pointer. */
static int write_rows(MPI_File fh)
{
    double row[ROW];
    MPI_Status status;
    MPI_Offset at;
    int failed = 0;
    for (int k = 0; k < ROWS; k++) {
        if (k % 2)
            failed |= MPI_File_seek(fh, (MPI_Offset)(ranks - 1) * ROW, MPI_SEEK_CUR);
        else
            failed |=
                MPI_File_seek(fh, (MPI_Offset)(k * ranks + rank) * ROW, MPI_SEEK_SET);
        fill(row, k * ranks + rank);
        failed |= (alone(k) ? MPI_File_write : MPI_File_write_all)(fh, row, ROW,
                                                                   MPI_DOUBLE, &status);
        failed |= MPI_File_get_position(fh, &at);
        wrong += at != (MPI_Offset)(k * ranks + rank + 1) * ROW;
    }
    return failed;
}

static int read_rows(MPI_File fh)
{
    double row[ROW];
    MPI_Status status;
    int failed = 0, other = (rank + 1) % ranks;
    for (int k = 0; k < ROWS; k++) {
        memset(row, 0, sizeof row);
        failed |=
            MPI_File_seek(fh, (MPI_Offset)(k * ranks + other) * ROW, MPI_SEEK_SET);
        failed |= (alone(k) ? MPI_File_read : MPI_File_read_all)(fh, row, ROW,
                                                                 MPI_DOUBLE, &status);
        check(row, k * ranks + other);
    }
    /* An offset counts etypes, too. */
    failed |=
        MPI_File_read_at_all(fh, (MPI_Offset)rank * ROW, row, ROW, MPI_DOUBLE, &status);
    check(row, rank);
    return failed;
}

static int run(const char *path, MPI_Info info, int keys)
{
    static char text[] = "a header, so far", back[HEADER];
    MPI_File fh;
    MPI_Status status;
    if (open_it(path, info, keys, &fh))
        return 1;
    int failed = MPI_File_write_all(fh, text, rank ? 0 : HEADER, MPI_BYTE, &status);
    failed |= MPI_File_set_view(fh, HEADER, MPI_DOUBLE, MPI_DOUBLE, (char *)"native",
                                MPI_INFO_NULL);
    failed |= write_rows(fh);
    failed |= MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    failed |= MPI_File_sync(fh);
    failed |= read_rows(fh);
    failed |=
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, (char *)"native", MPI_INFO_NULL);
    failed |= MPI_File_read_all(fh, back, HEADER, MPI_BYTE, &status);
    wrong += memcmp(text, back, HEADER) != 0;
#ifdef LDAD_RENAME_H
    wrong += MPI_File_seek(fh, 0, MPI_SEEK_END) != MPI_SUCCESS;
    wrong += MPI_File_seek(fh, -1, MPI_SEEK_SET) == MPI_SUCCESS;
    wrong += MPI_File_set_view(fh, 0, MPI_DOUBLE, MPI_CHAR, "native", info) == 0;
    ldad_file_error();
#endif
    return failed | MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info info = hints_of(argc, argv, 2, &together);
    int failed = argc < 2 || run(argv[1], info, argc > 2);
#ifdef LDAD_RENAME_H
    const char *why = ldad_file_error();
    if (*why)
        fprintf(stderr, "views: %s\n", why);
#endif
    MPI_Info_free(&info);
    MPI_Finalize();
    if (wrong)
        fprintf(stderr, "views: %d wrong on rank %d\n", wrong, rank);
    return failed || wrong;
}
