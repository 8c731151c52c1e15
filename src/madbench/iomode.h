/* I/O mode: MADbench2's I/O and memory without its mathematics (slide 7: "all
 * scientific detail removed, allows varying busy-work component"). */
#ifndef MADBENCH_IOMODE_H
#define MADBENCH_IOMODE_H

#include "madbench/bench.h"

/* Local. Fills the buffers with incompressible data. */
void iomode_prepare(struct bench *b);

/* **Collective.** Makes the phases once (`bench`: a struct bench); the file stays. For
 * bench_pass. Returns the agreed verdict. */
int iomode_phases(void *bench);

#endif
