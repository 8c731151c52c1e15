/* What comes after a load: statistics where the scheme did not make them, the order of
 * soundings, and the check of what was written. */
#ifndef PFMLOAD_PASSES_H
#define PFMLOAD_PASSES_H

#include "pfmload/input/load.h"

/* Local, on the rank that has the files open. The recompute pass: walks every chain,
 * and writes every bin's summary. Failures are kept in the run. */
void passes_recompute(struct load *l);

/* Local, likewise. The same, but writes all blocks anew, in the order of --canonical,
 * to `blocks`. */
void passes_rewrite(struct load *l, struct run_file *blocks);

/* **Collective.** Reads the finished PFM, which is closed, from part_handle: every
 * chain, every bin's summary and its byte of the coverage map; all soundings that were
 * fed must be there. Ranks on the node of rank 0 take part. Failures are kept in the
 * run. */
void passes_check(struct load *l);

#endif
