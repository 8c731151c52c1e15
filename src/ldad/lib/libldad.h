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

/* **Collective** on `comm`. The plan of as many ranks in a file of plans, one to a line
 * (algebra/descriptor.h has the text; lines that begin with # do not count), into
 * plan[room]. 0, or -errno with a sentence, agreed. */
int libldad_plan_of(MPI_Comm comm, const char *file, char *plan, int room);

#endif
