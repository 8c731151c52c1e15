/* Passes after a load: statistics if the scheme did not compute them, the order of
 * soundings, and verification. */
#ifndef PFMLOAD_PASSES_H
#define PFMLOAD_PASSES_H

#include "pfmload/input/load.h"

/* Local, on the rank that has the files open. The recompute pass: walks every chain,
 * and writes every bin's summary. Failures are kept in the run. */
void passes_recompute(struct load *l);

/* Local, likewise. Also rewrites all blocks, in the order of --canonical,
 * to `blocks`. */
void passes_rewrite(struct load *l, struct run_file *blocks);

/* **Collective.** Reads the finished, closed PFM from part_handle: every chain, every
 * bin's summary and its byte of the coverage map; all soundings that were fed must be
 * there. Ranks on the node of rank 0 take part. Failures are kept in the run. */
void passes_check(struct load *l);

#endif
