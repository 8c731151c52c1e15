/* What the files stand on, and so what the figures of reads are of. Included only
 * inside src/run. */
#ifndef RUN_STORAGE_H
#define RUN_STORAGE_H

#include "run/run.h"

/* Local. Where the files are, and what is told of is: --dir, or the run's input. */
const char *run_storage_path(const struct run *r);

/* **Collective.** Finds r->stack: of the nodes' that which can serve most from memory.
 * Returns the agreed verdict. */
int run_storage_find(struct run *r);

/* Local, on rank 0. Fills in what is known of file system, layers and stripes (pointers
 * into r and static memory, for report_file), and warns where all is memory. */
void run_storage_tell(struct run *r, struct report_file *f);

/* Local, the same on every rank. The shares of what was read that came from a device
 * and from below the page cache; warns where memory served, or may have. */
void run_storage_shares(struct run *r, struct report_checks *c);

#endif
