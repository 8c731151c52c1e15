/* --keep and --write-only: what a run says of the files that it leaves, beside them. */
#ifndef BLOCK_KEEP_H
#define BLOCK_KEEP_H

#include "block/block.h"

/* Local, in plan: --write-only keeps, unless it is told not to. */
void keep_settle(struct run *r);

/* **Collective.** At the end of a repetition (struct workload: put_away): the
 * description of its files, if they are kept and whole. Returns the agreed verdict. */
int keep_describe(struct run *r, int rc);

#endif
