/* Cases that a log of MPI-IO could get wrong: mpi_edges FOLDER WHAT. Each rank has a
 * file of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 5000 };

static MPI_File file;
static char data[4096];

/* Every second int from byte 100 on: element 5 is at byte 100 + 5 * 8. */
static void view(void)
{
    MPI_Datatype every_second;
    MPI_Type_create_resized(MPI_INT, 0, 8, &every_second);
    MPI_Type_commit(&every_second);
    MPI_File_set_view(file, 100, MPI_INT, every_second, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, 5, data, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 2, MPI_SEEK_SET);
    MPI_File_write(file, data, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&every_second);
}

/* Ten bytes are left of the hundred requested. */
static void past_the_end(void)
{
    MPI_Status s;
    MPI_File_write_at(file, 0, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 990, data, 100, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 990, data, 25, MPI_INT, &s);
}

/* Open MPI's read never ends: it waits for the rest. */
static void ends_short(void)
{
    MPI_Request r;
    MPI_File_write_at(file, 0, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 990, data, 100, MPI_CHAR, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* There are more requests at once than the recorder can remember, and one is freed. */
static void many(void)
{
    static MPI_Request r[MANY];
    MPI_Status *volatile none = MPI_STATUSES_IGNORE; /* known, it alarms gcc */
    MPI_Request gone;
    for (int i = 0; i < MANY; i++)
        MPI_File_iwrite_at(file, i, data, 1, MPI_CHAR, &r[i]);
    MPI_Waitall(MANY, r, none);
    MPI_File_iwrite_at(file, 0, data, 7, MPI_CHAR, &gone);
    MPI_Wait(&gone, MPI_STATUS_IGNORE);
}

/* Requests progress, and end, in unrelated calls: one in one piece, one in many. */
static void elsewhere(void)
{
    static int pieces[8000];
    MPI_Request r[2];
    MPI_Datatype every_second;
    int flag;
    MPI_File_iwrite_at(file, 0, data, 4096, MPI_CHAR, &r[0]);
    MPI_Type_create_resized(MPI_INT, 0, 8, &every_second);
    MPI_Type_commit(&every_second);
    MPI_File_set_view(file, 4096, MPI_INT, every_second, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at(file, 0, pieces, 8000, MPI_INT, &r[1]);
    for (int i = 0; i < 200; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag,
                   MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_SELF);
        usleep(1000);
    }
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Type_free(&every_second);
}

static void fails(void)
{
    MPI_File none;
    MPI_File_write_at(file, 0, data, 10, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL,
                  &none);
}

/* The launcher may kill the others as soon as one rank has ended. */
static void without_finalize(void)
{
    MPI_File_write_at(file, 0, data, 4096, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    exit(0);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"view", view},
             {"past_the_end", past_the_end},
             {"ends_short", ends_short},
             {"many", many},
             {"elsewhere", elsewhere},
             {"fails", fails},
             {"without_finalize", without_finalize}};

int main(int argc, char **argv)
{
    char path[4096];
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/edges.%d", argc > 1 ? argv[1] : ".", rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    for (size_t i = 0; argc > 2 && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(parts[i].name, argv[2]))
            parts[i].run();
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
