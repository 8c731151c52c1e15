/* Every form of MPI-IO, N times on each rank: mpi_forms FOLDER N. Rank 0 prints what
 * each rank's log must contain, one line for each call: name, events, bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 24, BYTES = INTS * 4 };

static int rank, ranks, n;
static MPI_Status *volatile none = MPI_STATUSES_IGNORE; /* known, it alarms gcc */
static MPI_File file;
static int data[INTS];
static MPI_Datatype triple; /* three ints: a count is not a number of bytes */

static void says(const char *name, int events, long long bytes)
{
    if (!rank)
        printf("MPI_%s %d %lld\n", name, events, bytes);
}

static MPI_Offset place(int i)
{
    return ((MPI_Offset)rank * n + i) * BYTES;
}

static void rewind_all(void)
{
    MPI_File_seek(file, place(0), MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD); /* no rank still moves the shared pointer */
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
}

/* Completes a request, each time with another call. */
static void complete(MPI_Request r[1])
{
    static int turn;
    int flag = 0, index, count = 0, indices[1];
    MPI_Status s;
    switch (turn++ % 8) {
    case 0:
        MPI_Wait(r, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Waitall(1, r, none);
        break;
    case 2:
        MPI_Waitany(1, r, &index, &s);
        break;
    case 3:
        MPI_Waitsome(1, r, &count, indices, &s);
        break;
    case 4:
        while (!flag)
            MPI_Test(r, &flag, &s);
        break;
    case 5:
        while (!flag)
            MPI_Testall(1, r, &flag, &s);
        break;
    case 6:
        while (!flag)
            MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        while (count != 1)
            MPI_Testsome(1, r, &count, indices, none);
    }
}

#define EACH(call)                                                                     \
    rewind_all();                                                                      \
    for (int i = 0; i < n; i++) {                                                      \
        call;                                                                          \
    }
#define DONE(name) says("File_" name, n, (long long)n *BYTES)
#define BEGUN(name) says("File_" name, n, 0)
#define ONE data, INTS, MPI_INT

#define FORMS(way)                                                                     \
    MPI_Status s;                                                                      \
    MPI_Request r;                                                                     \
    EACH(MPI_File_##way##_at(file, place(i), ONE, &s))                                 \
    DONE(#way "_at");                                                                  \
    EACH(MPI_File_##way##_at_all(file, place(i), data, INTS / 3, triple,               \
                                 MPI_STATUS_IGNORE))                                   \
    DONE(#way "_at_all");                                                              \
    EACH(MPI_File_##way(file, ONE, MPI_STATUS_IGNORE))                                 \
    DONE(#way);                                                                        \
    EACH(MPI_File_##way##_all(file, data, INTS / 3, triple, &s))                       \
    DONE(#way "_all");                                                                 \
    EACH(MPI_File_##way##_shared(file, ONE, &s))                                       \
    DONE(#way "_shared");                                                              \
    EACH(MPI_File_##way##_ordered(file, ONE, &s))                                      \
    DONE(#way "_ordered");                                                             \
    EACH(MPI_File_i##way##_at(file, place(i), ONE, &r); complete(&r))                  \
    BEGUN("i" #way "_at");                                                             \
    EACH(MPI_File_i##way##_at_all(file, place(i), ONE, &r); complete(&r))              \
    BEGUN("i" #way "_at_all");                                                         \
    EACH(MPI_File_i##way(file, ONE, &r); complete(&r))                                 \
    BEGUN("i" #way);                                                                   \
    EACH(MPI_File_i##way##_all(file, ONE, &r); complete(&r))                           \
    BEGUN("i" #way "_all");                                                            \
    EACH(MPI_File_i##way##_shared(file, ONE, &r); complete(&r))                        \
    BEGUN("i" #way "_shared");                                                         \
    says("Wait_" #way, 5 * n, 5ll * n * BYTES);                                        \
    EACH(MPI_File_##way##_at_all_begin(file, place(i), ONE);                           \
         MPI_File_##way##_at_all_end(file, data, &s))                                  \
    BEGUN(#way "_at_all_begin");                                                       \
    DONE(#way "_at_all_end");                                                          \
    EACH(MPI_File_##way##_all_begin(file, ONE);                                        \
         MPI_File_##way##_all_end(file, data, MPI_STATUS_IGNORE))                      \
    BEGUN(#way "_all_begin");                                                          \
    DONE(#way "_all_end");                                                             \
    EACH(MPI_File_##way##_ordered_begin(file, ONE);                                    \
         MPI_File_##way##_ordered_end(file, data, &s))                                 \
    BEGUN(#way "_ordered_begin");                                                      \
    DONE(#way "_ordered_end")

static void writes(void)
{
    FORMS(write);
}

static void reads(void)
{
    FORMS(read);
}

int main(int argc, char **argv)
{
    static const char *const once[] = {
        "Init",          "Finalize",         "File_open",
        "File_close",    "File_sync",        "File_set_view",
        "File_set_size", "File_preallocate", "File_get_size"};
    char path[4096];
    MPI_Offset size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 2 ? atoi(argv[2]) : 1;
    snprintf(path, sizeof path, "%s/forms", argc > 1 ? argv[1] : ".");
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    memset(data, rank + 1, sizeof data);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    MPI_File_set_size(file, (MPI_Offset)ranks * n * BYTES);
    MPI_File_preallocate(file, (MPI_Offset)ranks * n * BYTES);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    writes();
    MPI_File_sync(file);
    reads();
    MPI_File_get_size(file, &size);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        MPI_File_delete(path, MPI_INFO_NULL);
    MPI_Type_free(&triple);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        says(once[i], 1, 0);
    says("File_seek", 28, 0);
    says("File_seek_shared", 28, 0);
    MPI_Finalize();
    return 0;
}
