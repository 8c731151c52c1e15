/* Finds the storage below the files, and so the meaning of read figures. Included only
 * inside src/run. */
#ifndef RUN_STORAGE_H
#define RUN_STORAGE_H

#include "run/run.h"

/* Local. The place whose storage is reported: --dir, or the run's input. */
const char *run_storage_path(const struct run *r);

/* **Collective.** Finds r->stack: the storage, among the nodes', that can serve most
 * from memory. Returns the agreed verdict. */
int run_storage_find(struct run *r);

/* Local, on rank 0. Fills in what is known of file system, layers and stripes (pointers
 * into r and static memory, for report_file), and warns if all storage is memory. */
void run_storage_tell(struct run *r, struct report_file *f);

/* Local, the same on every rank. Computes the shares of the bytes read that came from a
 * device and from below the page cache; warns if memory served reads, or may have. */
void run_storage_shares(struct run *r, struct report_checks *c);

#endif
