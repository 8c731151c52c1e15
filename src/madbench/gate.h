/* Concurrency gates: only one of every `mod` ranks transfers at a time (MADbench2's
 * RMOD and WMOD, slide 8: "only 1 MODRW procs does IO simultaneously"). Ranks k mod ..
 * k mod + mod - 1 of `comm` pass a token in order; the last group may be smaller. */
#ifndef MADBENCH_GATE_H
#define MADBENCH_GATE_H

#include "run/run.h"

/* Local, but every rank of `comm` must call them equally often. Wait for the previous
 * rank (counted as idle), and let the next one go. mod == 1: no waiting. */
void gate_enter(struct run *r, MPI_Comm comm, int64_t mod);
void gate_leave(struct run *r, MPI_Comm comm, int64_t mod);

#endif
