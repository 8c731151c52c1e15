/* --keep and --write-only: the description that a run writes beside the files
 * it leaves. */
#ifndef BLOCK_KEEP_H
#define BLOCK_KEEP_H

#include "block/block.h"

/* Local, in plan: makes --write-only imply --keep, unless the user said otherwise. */
void keep_settle(struct run *r);

/* **Collective.** At the end of a repetition (struct workload: put_away): writes the
 * description of its files if they are kept and whole. Returns the agreed verdict. */
int keep_describe(struct run *r, int rc);

#endif
