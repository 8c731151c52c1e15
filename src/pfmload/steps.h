/* The steps of a load, in order, for its struct workload (r->context: a struct load).
 * All are **Collective** and return a verdict that is the same on every rank: 0, or
 * -errno with a sentence. */
#ifndef PFMLOAD_STEPS_H
#define PFMLOAD_STEPS_H

#include "pfmload/input/load.h"

/* Settles options, and refuses what the scheme cannot do. */
int steps_settle(struct load *l);

/* Finds the input: its files, and the PFM that is appended to. */
int steps_begin(struct run *r);

/* Bodies of stages; `load` is a struct load. scan: phase "scan", if something is not
 * known yet; then the head and the items. load: phase "load", the scheme. finish:
 * phases "recompute", "area" and "side", if they are due; the header. check: phase
 * "check", outside of all I/O times, with --verify. */
int steps_scan(struct run *r, void *load);
int steps_load(struct run *r, void *load);
int steps_finish(struct run *r, void *load);
int steps_check(struct run *r, void *load);

/* Applies the area filter to the PFM, whose files are open on the ranks that take part;
 * l->extremes become those of this rank's bins. Failures are kept in the run. */
void area_step(struct load *l);

/* Adds figures and results of the repetition to the report. */
void steps_figures(struct run *r);

/* Gives the PFM its name, if it is to be kept and is the last one, or removes it. */
int steps_put_away(struct run *r, int rc);

/* At the end of a successful load, repeats which files and beams are not in its PFM. */
int steps_tell_left_out(struct run *r, int rc);

/* Local. Frees everything. */
void steps_end(struct run *r);

/* ---- passes ---------------------------------------------------------------------- */

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
