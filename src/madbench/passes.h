/* Measurements by several passes over the phases: the overlap of I/O and computation,
 * and the computation from which on I/O is hidden. Timed passes do not check blocks, as
 * checking would hide I/O, too; one pass before them, of each kind of I/O, is checked
 * if --verify is on. */
#ifndef MADBENCH_PASSES_H
#define MADBENCH_PASSES_H

#include "madbench/bench.h"

/* **Collective.** Make one repetition, with `call` and `arg` as for bench_pass; return
 * the agreed verdict.
 *
 * overlap: makes the I/O alone, the computation alone, then both; for each phase
 *     overlap = (t_io + t_comp - t_both) / min(t_io, t_comp)
 * where a time is the slowest rank's seconds of computing, communicating, reading,
 * writing and syncing. A pipeline of n stages allows 1 - 1/n. If it is poor, a warning
 * tells the cause.
 *
 * alphas: for each ALPHA, makes asynchronous I/O without computation, with it, then
 * synchronous I/O. The effective rate is bytes divided by visible seconds of I/O (slide
 * 17).
 *
 * In both, "hidden" is the part that computation takes off the visible seconds of
 * asynchronous I/O, with as many transfers in flight:
 *     hidden      = 1 - visible / visible without computation
 *     hidden_most = min(1, t_comp / visible without computation) (1 - 1/n)
 * The gain of several transfers in flight over one is not part of it (concurrency). At
 * the critical ALPHA, hidden is 90 % of what the pipeline allows. */
int passes_overlap(struct bench *b, int (*call)(void *), void *arg);
int passes_alphas(struct bench *b, int (*call)(void *), void *arg);

/* Local. The number of passes in one repetition, including the checked ones. */
int passes_count(const struct plan *p, const struct settings *s);

/* Local. The number of passes with I/O in all repetitions. */
int64_t passes_with_io(const struct plan *p, const struct settings *s);

#endif
