#include "iotrace/read/op.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SLOTS (2 * OP_TABLE_MAX)

static const char *const class_name[CLASSES] = {
    "none", "read", "write", "open", "close",   "seek", "sync",
    "meta", "map",  "copy",  "mark", "process", "wait", "lock"};

struct op op_table[OP_TABLE_MAX];
static int count;
static uint16_t slot[SLOTS]; /* number + 1, by the name's hash */

static enum trace_class known_class(const char *name)
{
#define X(e, text, class)                                                              \
    if (!strcmp(name, text))                                                           \
        return CLASS_##class;
    TRACE_OPS(X)
#undef X
    return CLASSES;
}

/* Returns the class by the name of an operation, which tells if it moves bytes. */
static enum trace_class class_by_name(const char *name)
{
    return strstr(name, "write")  ? CLASS_WRITE
           : strstr(name, "read") ? CLASS_READ
                                  : CLASS_NONE;
}

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool stops(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);
    return n >= m && !strcmp(name + n - m, with);
}

static bool is_completion(const char *name)
{
    return starts(name, "aio_return_") || starts(name, "io_getevents_") ||
           starts(name, "MPI_Wait_") ||
           (stops(name, "_end") && (starts(name, "uring_") || starts(name, "MPI_")));
}

static bool is_submission(const char *name)
{
    static const char *const exactly[] = {"aio_read",   "aio_write",   "aio_fsync",
                                          "uring_read", "uring_write", "uring_fsync"};
    for (size_t i = 0; i < sizeof exactly / sizeof exactly[0]; i++)
        if (!strcmp(name, exactly[i]))
            return true;
    return starts(name, "io_submit_") || starts(name, "MPI_File_i") ||
           (starts(name, "MPI_File_") && stops(name, "_begin"));
}

static enum op_library library_of(const char *name)
{
    return starts(name, "MPI_")     ? LIBRARY_MPI
           : starts(name, "H5")     ? LIBRARY_HDF5
           : starts(name, "ncmpi_") ? LIBRARY_PNETCDF
                                    : LIBRARY_NONE;
}

/* Returns which bytes of a call /proc/PID/io has, by what the kernel (6.18) showed: all
 * of read and write and their like, whatever the file is; those of a copy twice; none
 * of asynchronous transfers but the C library's, and none between pipes. */
static uint8_t counted(const struct op *o)
{
    static const char *const never[] = {"uring_", "io_submit_", "io_getevents_",
                                        "splice", "tee",        "vmsplice"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (starts(o->name, never[i]))
            return 0;
    if (o->library != LIBRARY_NONE)
        return 0;
    return o->class == CLASS_READ    ? 1
           : o->class == CLASS_WRITE ? 2
           : o->class == CLASS_COPY  ? 3
                                     : 0;
}

static void describe_op(struct op *o, const char *name, enum trace_class class)
{
    enum trace_class known = known_class(name);
    snprintf(o->name, sizeof o->name, "%s", name);
    o->class = known != CLASSES   ? known
               : class != CLASSES ? class
                                  : class_by_name(name);
    o->library = library_of(name);
    o->begins = is_submission(name);
    o->ends = is_completion(name);
    o->executes = starts(name, "exec") || starts(name, "fexec");
    o->counted = counted(o);
    o->time_class = o->ends && o->library == LIBRARY_MPI ? CLASS_WAIT : o->class;
}

/* True if a name is valid. It is printed as it is, so it must not contain characters
 * with a meaning in tables. */
static int op_is_name(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return 0;
    return n > 0 && n < sizeof op_table[0].name;
}

int op_number(const char *name, enum trace_class class)
{
    uint32_t h = 2166136261u;
    for (const char *s = name; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    uint32_t at = h % SLOTS;
    for (; slot[at]; at = (at + 1) % SLOTS)
        if (!strcmp(op_table[slot[at] - 1].name, name))
            return slot[at] - 1;
    if (count == OP_TABLE_MAX || !op_is_name(name))
        return -1;
    describe_op(&op_table[count], name, class);
    slot[at] = (uint16_t)(count + 1);
    return count++;
}

int op_count(void)
{
    return count;
}

enum trace_class op_class(const char *name)
{
    for (int c = 0; c < CLASSES; c++)
        if (!strcasecmp(name, class_name[c]))
            return (enum trace_class)c;
    return CLASSES;
}

const char *op_class_name(enum trace_class class)
{
    return class_name[class];
}
