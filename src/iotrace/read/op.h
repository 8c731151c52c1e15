/* The operations that occur in the logs read so far: a log names its own, so that a
 * reader need not be as new as the recorder. */
#ifndef IOTRACE_READ_OP_H
#define IOTRACE_READ_OP_H

#include "iotrace/format/ops.h"
#include <stdbool.h>

#define OP_TABLE_MAX 4096

/* Whose call it is: of a library that stands on the C library's calls, or of none. */
enum op_library { LIBRARY_NONE, LIBRARY_MPI, LIBRARY_HDF5, LIBRARY_PNETCDF };

struct op {
    char name[48];
    enum op_library library;
    enum trace_class class;      /* of what it moves or does */
    enum trace_class time_class; /* of its time: WAIT of what only ends a transfer */
    bool begins, ends;           /* an asynchronous transfer */
};

/* Local. The number of the operation `name`, added where it is not known yet: with the
 * class that ops.h says, else `class`, or for CLASSES what the name tells. -1: the
 * table is full, or `name` is not a name. */
int op_number(const char *name, enum trace_class class);

/* Local. How many there are; the one with number 0 <= n < op_count(). */
int op_count(void);
extern struct op op_table[OP_TABLE_MAX];
static inline const struct op *op_get(int n)
{
    return &op_table[n];
}

/* Local. Of a library with a file format of its own: its calls name no place in the
 * file. */
static inline bool op_is_of_format(const struct op *op)
{
    return op->library == LIBRARY_HDF5 || op->library == LIBRARY_PNETCDF;
}

/* Local. A class by its name ("READ"); CLASSES: there is none of that name. */
enum trace_class op_class(const char *name);
const char *op_class_name(enum trace_class class); /* "read" */

/* Local. Moves bytes of a file: READ, WRITE, COPY. */
static inline int op_moves(enum trace_class class)
{
    return class == CLASS_READ || class == CLASS_WRITE || class == CLASS_COPY;
}

/* Local. Takes time of its own in files; marks and processes do not. */
static inline int op_is_io(enum trace_class class)
{
    return class != CLASS_MARK && class != CLASS_PROCESS;
}

#endif
