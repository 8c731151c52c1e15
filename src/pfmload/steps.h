/* The steps of a load, in their order. All are **Collective** and return a verdict that
 * is the same on every rank: 0, or -errno with a sentence. */
#ifndef PFMLOAD_STEPS_H
#define PFMLOAD_STEPS_H

#include "pfmload/input/load.h"

/* Settles options, and refuses what the scheme cannot do. */
int steps_settle(struct load *l);

/* The input: which files, and the PFM that is appended to. */
int steps_begin(struct load *l);

/* Repetitions begin. */
void steps_rep_begin(struct load *l);

/* Phase "scan", where something is not known yet; then the head and the items. */
int steps_scan(struct load *l);

/* Phase "load": the scheme. */
int steps_load(struct load *l);

/* Phases "recompute", "area" and "side", where they are due; the header. */
int steps_finish(struct load *l);

/* Applies the area filter to the PFM, whose files are open on the ranks that take part;
 * l->extremes become those of this rank's bins. Failures are kept in the run. */
void area_step(struct load *l);

/* Phase "check", outside of all I/O times. */
int steps_check(struct load *l);

/* Figures and results of the repetition for the report. */
void steps_figures(struct load *l);

/* Gives the PFM its name, or removes it. */
int steps_put_away(struct load *l, bool publish);

/* Local. At the end of a load that made its PFM, says once more what is not in it. */
void steps_tell_bad(const struct load *l);

/* Local. Frees everything. */
void steps_end(struct load *l);

#endif
