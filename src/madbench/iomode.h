/* I/O mode: MADbench2's I/O and memory without its mathematics (slide 7: "all
 * scientific detail removed, allows varying busy-work component"). */
#ifndef MADBENCH_IOMODE_H
#define MADBENCH_IOMODE_H

#include "madbench/bench.h"

/* **Collective.** One repetition of S, W and C. Returns the agreed verdict. */
int iomode_rep(struct bench *b);

#endif
