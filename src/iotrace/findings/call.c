/* The kind of each call, by its name. */
#include "iotrace/findings/inside.h"
#include <string.h>

const char *const kind_name[KINDS] = {"read", "write",   "copy", "open", "close",
                                      "seek", "meta",    "sync", "lock", "map",
                                      "wait", "library", "other"};

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

static enum kind kind_of_class(enum trace_class class)
{
    static const uint8_t kind[CLASSES] = {
        [CLASS_NONE] = KIND_OTHER,  [CLASS_READ] = KIND_READ,
        [CLASS_WRITE] = KIND_WRITE, [CLASS_OPEN] = KIND_OPEN,
        [CLASS_CLOSE] = KIND_CLOSE, [CLASS_SEEK] = KIND_SEEK,
        [CLASS_SYNC] = KIND_SYNC,   [CLASS_META] = KIND_META,
        [CLASS_MAP] = KIND_MAP,     [CLASS_COPY] = KIND_COPY,
        [CLASS_MARK] = KIND_OTHER,  [CLASS_PROCESS] = KIND_OTHER,
        [CLASS_WAIT] = KIND_WAIT,   [CLASS_LOCK] = KIND_LOCK};
    return kind[class];
}

static struct call call_make(const struct op *o)
{
    static const char *const opens[] = {
        "open",    "openat",    "openat2",    "creat",        "fopen", "MPI_File_open",
        "H5Fopen", "H5Fcreate", "ncmpi_open", "ncmpi_create", NULL};
    static const char *const asks[] = {"stat",  "lstat",  "fstat",     "fstatat",
                                       "statx", "access", "faccessat", NULL};
    static const char *const renews[] = {
        "open",          "openat",       "openat2",   "creat",
        "fopen",         "freopen",      "truncate",  "ftruncate",
        "unlink",        "unlinkat",     "remove",    "rename",
        "renameat",      "renameat2",    "H5Fcreate", "MPI_File_set_size",
        "MPI_File_open", "ncmpi_create", NULL};
    static const char *const renames[] = {"rename", "renameat", "renameat2", NULL};
    static const char *const removes[] = {"unlink", "unlinkat", "remove",
                                          "MPI_File_delete", NULL};
    static const char *const hdf5_meta[] = {
        "H5Fcreate", "H5Fopen",   "H5Fclose", "H5Fflush", "H5Dcreate", "H5Dopen",
        "H5Dclose",  "H5Acreate", "H5Aopen",  "H5Aclose", NULL};
    static const char *const together[] = {"MPI_File_open",
                                           "MPI_File_close",
                                           "MPI_File_set_view",
                                           "MPI_File_set_size",
                                           "MPI_File_preallocate",
                                           "MPI_File_sync",
                                           NULL};
    const char *name = o->name;
    enum trace_class class = o->class;
    bool mpi = !strncmp(name, "MPI_File_", 9), wait = !strncmp(name, "MPI_Wait_", 9);
    size_t n = strlen(name);
    bool end = mpi && n > 4 && !strcmp(name + n - 4, "_end");
    struct call c = {.kind = (uint8_t)kind_of_class(class)};
    c.hdf5 = o->library == LIBRARY_HDF5;
    c.library = mpi || wait || c.hdf5 || o->library == LIBRARY_PNETCDF;
    if (c.library)
        c.kind = wait || end ? KIND_WAIT : KIND_LIBRARY;
    c.mpi = mpi || wait;
    c.init = !strncmp(name, "MPI_Init", 8) || !strcmp(name, "MPI_Finalize");
    c.opens = is_one_of(name, opens);
    c.asks = is_one_of(name, asks);
    c.renews = is_one_of(name, renews);
    c.hdf5_meta = is_one_of(name, hdf5_meta);
    c.creates = !strcmp(name, "H5Dcreate");
    c.renames = is_one_of(name, renames);
    c.removes = is_one_of(name, removes);
    c.uring = !strncmp(name, "uring_", 6) || !strcmp(name, "io_uring_wait");
    c.flushes = !strcmp(name, "fflush");
    c.durable = class == CLASS_SYNC && !c.flushes;
    c.set_view = !strcmp(name, "MPI_File_set_view");
    c.mpi_open = !strcmp(name, "MPI_File_open");
    c.buffer = !strcmp(name, "setvbuf");
    c.collective = is_one_of(name, together) ||
                   (mpi && op_moves(class) && !end &&
                    (strstr(name, "_all") || strstr(name, "_ordered")));
    return c;
}

struct call call_table[OP_TABLE_MAX];
int calls_known;

void calls_learn(int op)
{
    for (; calls_known <= op; calls_known++)
        call_table[calls_known] = call_make(op_get(calls_known));
}
