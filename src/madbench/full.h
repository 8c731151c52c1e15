/* Full mode: the whole calculation, with ScaLAPACK. In full.c, or full_absent.c
 * without ScaLAPACK. */
#ifndef MADBENCH_FULL_H
#define MADBENCH_FULL_H

#include "madbench/settings.h"

struct bench;
struct full;

/* Local. Checks that full mode is built and can hold the plan's shares: 0, or -EINVAL
 * with a sentence. */
int full_check(const struct plan *p);

/* **Collective.** Makes grids, pixels and small vectors: O(NPIX) per rank besides the
 * bench's buffers. full_close frees *f. */
int full_open(struct full **f, struct bench *b);
void full_close(struct full **f);

/* **Collective.** Makes S, D, W and C once (`full`: a struct full); the file stays. For
 * bench_pass. Returns the agreed verdict. */
int full_phases(void *full);

/* Local. The nbin bin powers dC of the last pass with I/O and work, on every rank. */
const double *full_dc(const struct full *f);

#endif
