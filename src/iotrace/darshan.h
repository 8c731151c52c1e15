#ifndef IOTRACE_DARSHAN_H
#define IOTRACE_DARSHAN_H

#include "iotrace/read/runs.h"
#include <stdio.h>

/* Local. Writes a run's counters in the layout of darshan-parser. Returns 0, or -errno
 * with a sentence. */
int darshan_put(struct run *r, FILE *out);

#endif
