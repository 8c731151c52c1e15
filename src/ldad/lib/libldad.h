/* What programs of the suite need of libldad beyond <ldad.h>. */
#ifndef LDAD_LIB_LIBLDAD_H
#define LDAD_LIB_LIBLDAD_H

#include "io/io.h"
#include <ldad.h>
#include <stdbool.h>

/* Beside the keys of ldad(3): with the value "yes", files that were made stay in the
 * table of base/scratch.h, so that a run that fails removes them. */
#define LIBLDAD_SCRATCH "ldad_scratch"

/* Local. The file as the engine has it; NULL: it is a file for each rank. */
struct io_file *libldad_io(ldad_file fh);

/* Local. Whether its transfers are collective, and ranks wait for each other. */
bool libldad_collective(ldad_file fh);

/* What of a file its view shows, and where the next transfer without an offset goes. */
struct libldad_view {
    int64_t displacement; /* bytes */
    int64_t unit;         /* bytes of an etype, which offsets count */
    int64_t position;     /* in units */
};

/* Local. It stays the file's. */
struct libldad_view *libldad_view(ldad_file fh);

/* Local, or **Collective** where it is for `all`. What the calls with offsets do, and
 * how many bytes they moved; returns the class of the error. */
int libldad_transfer(ldad_file fh, bool all, enum io_op op, MPI_Offset at, void *buf,
                     int count, MPI_Datatype type, MPI_Status *status, int64_t *moved);

/* Local. Whether the bytes of a type stand in memory as they go to the file: it is a
 * basic type, or a row of such, without gaps. Then *size is its bytes. */
bool libldad_is_row(MPI_Datatype type, int64_t *size);

/* **Collective** on `comm`. The plan of as many ranks in a file of plans, one to a line
 * (algebra/descriptor.h has the text; lines that begin with # do not count), into
 * plan[room]. 0, or -errno with a sentence, agreed. */
int libldad_plan_of(MPI_Comm comm, const char *file, char *plan, int room);

/* Local. Records a failure of a call on this file; returns the class of the error. */
int libldad_fail(ldad_file fh, int code, int64_t offset, const char *why);

#endif
