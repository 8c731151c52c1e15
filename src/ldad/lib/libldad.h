/* The interface of libldad for programs of the suite, beyond <ldad.h>. */
#ifndef LDAD_LIB_LIBLDAD_H
#define LDAD_LIB_LIBLDAD_H

#include "io/io.h"
#include <ldad.h>
#include <stdbool.h>

/* A key beside those of ldad(3): with the value "yes", new files stay in the table of
 * base/scratch.h, so that a run that fails removes them. */
#define LIBLDAD_SCRATCH "ldad_scratch"

/* Local. Returns the engine's file; NULL: there is one for each rank. */
struct io_file *libldad_io(ldad_file fh);

/* Local. True if its transfers are collective, so that ranks wait for each other. */
bool libldad_collective(ldad_file fh);

/* **Collective** on `comm`. Finds the plan for this number of ranks in a file of plans,
 * one a line (algebra/descriptor.h has the text; lines that begin with # do not count),
 * and copies it to plan[room]. Returns 0, or -errno with a sentence, agreed. */
int libldad_plan_of(MPI_Comm comm, const char *file, char *plan, int room);

#endif
