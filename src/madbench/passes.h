/* Measurements of several passes over the phases: how much of I/O and computation
 * overlaps, and from which amount of computation on I/O is hidden. Their timed passes
 * leave blocks unchecked, as checking would hide I/O, too; one pass before them, of
 * each kind of I/O, is checked where --verify is on. */
#ifndef MADBENCH_PASSES_H
#define MADBENCH_PASSES_H

#include "madbench/bench.h"

/* **Collective.** One repetition each, with `call` and `arg` as for bench_pass; return
 * the agreed verdict.
 *
 * overlap: the same I/O alone, the same computation alone, then both; for each phase
 *     overlap = (t_io + t_comp - t_both) / min(t_io, t_comp)
 * where a time is the slowest rank's seconds of computing, communicating, reading,
 * writing and syncing. A pipeline of n stages allows 1 - 1/n. Where it is poor, a
 * warning says where the time went.
 *
 * alphas: for each ALPHA, asynchronous without computation, asynchronous with it, then
 * synchronous. The effective rate is bytes / visible seconds of I/O (slide 17).
 *
 * In both, hidden is what computation takes off the visible seconds of asynchronous
 * I/O, with as many transfers under way:
 *     hidden      = 1 - visible / visible without computation
 *     hidden_most = min(1, t_comp / visible without computation) (1 - 1/n)
 * What several transfers under way gain over one is no part of it (concurrency). The
 * critical ALPHA is where hidden is 90 % of what the pipeline allows. */
int passes_overlap(struct bench *b, int (*call)(void *), void *arg);
int passes_alphas(struct bench *b, int (*call)(void *), void *arg);

/* Local. How many passes one repetition has, the checked ones included. */
int passes_count(const struct plan *p, const struct settings *s);

/* Local. How many passes with I/O all repetitions have. */
int64_t passes_with_io(const struct plan *p, const struct settings *s);

#endif
