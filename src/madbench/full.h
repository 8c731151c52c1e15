/* Full mode: the whole calculation, with ScaLAPACK. full.c, or full_absent.c where
 * ScaLAPACK was not found. */
#ifndef MADBENCH_FULL_H
#define MADBENCH_FULL_H

#include "madbench/settings.h"

struct bench;
struct full;

/* Local. Whether full mode is built and can hold the plan's shares: 0 or -EINVAL with a
 * sentence. */
int full_check(const struct plan *p);

/* **Collective.** Grids, pixels and small vectors: O(NPIX) per rank besides the bench's
 * buffers. *f is freed by full_close. */
int full_open(struct full **f, struct bench *b);
void full_close(struct full **f);

/* **Collective.** S, D, W and C once (`full`: a struct full); the file stays. For
 * bench_pass. Returns the agreed verdict. */
int full_phases(void *full);

/* Local. The nbin bin powers dC that the last pass with I/O and work found, on every
 * rank. */
const double *full_dc(const struct full *f);

#endif
