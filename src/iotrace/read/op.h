/* The operations of the logs read so far. A log names its own, so that a reader need
 * not be as new as the recorder. */
#ifndef IOTRACE_READ_OP_H
#define IOTRACE_READ_OP_H

#include "iotrace/format/ops.h"
#include <stdbool.h>
#include <stdint.h>

#define OP_TABLE_MAX 4096

/* The library of a call, above the C library's calls; or none. */
enum op_library { LIBRARY_NONE, LIBRARY_MPI, LIBRARY_HDF5, LIBRARY_PNETCDF };

struct op {
    char name[48];
    enum op_library library;
    enum trace_class class; /* class of what it moves or does */
    /* class of its time: WAIT if it only ends a transfer */
    enum trace_class time_class;
    bool begins, ends; /* begins or ends an asynchronous transfer */
    bool executes;     /* makes the process another program */
    /* 1: the kernel counts its bytes as read by the process, 2: as written, 3: both */
    uint8_t counted;
};

/* Local. Returns the number of the operation `name`. A new one is added, with the class
 * of ops.h, else `class`, or for CLASSES the one that the name tells. -1: the table is
 * full, or `name` is not a valid name. */
int op_number(const char *name, enum trace_class class);

/* Local. op_count returns the number of operations, op_get the one with number 0 <= n <
 * op_count(). */
int op_count(void);
extern struct op op_table[OP_TABLE_MAX];
static inline const struct op *op_get(int n)
{
    return &op_table[n];
}

/* Local. True if it belongs to a library with a file format of its own: its calls name
 * no place in the file. */
static inline bool op_is_of_format(const struct op *op)
{
    return op->library == LIBRARY_HDF5 || op->library == LIBRARY_PNETCDF;
}

/* Local. Returns a class by its name ("READ"); CLASSES: there is none of that name. */
enum trace_class op_class(const char *name);
const char *op_class_name(enum trace_class class); /* "read" */

/* Local. True if the class moves bytes of a file: READ, WRITE, COPY. */
static inline int op_moves(enum trace_class class)
{
    return class == CLASS_READ || class == CLASS_WRITE || class == CLASS_COPY;
}

/* Local. True if the class takes time of its own in files; marks and processes do
 * not. */
static inline int op_is_io(enum trace_class class)
{
    return class != CLASS_MARK && class != CLASS_PROCESS;
}

#endif
