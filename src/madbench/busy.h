/* Busy work of a known number of floating-point operations, to stand for the
 * computation between I/O operations (BWEXP of MADbench2, slide 7).
 *
 * Its unit of work is one multiplication and one addition, y = a y + b, counted as two
 * operations whether or not the processor fuses them, on BUSY_LANES independent chains
 * in registers: no memory traffic, no branch, no denormal and no overflow (y stays
 * between 1/2 and 2). The chains pass through an empty assembly statement, and what
 * they come to is kept, so that no compiler may remove, shorten or precompute them. */
#ifndef MADBENCH_BUSY_H
#define MADBENCH_BUSY_H

#include "madbench/tick.h"

#define BUSY_LANES 16

/* Local. Floating-point operations per second that busy_work reaches on this rank, now,
 * with the other ranks doing what they do (calibrate on all ranks at once): the best of
 * three runs of about 10 ms. */
double busy_calibrate(void);

/* Local. Does `flops` operations (rounded to a whole number; nothing where it is not
 * positive; exact to 2^53, beyond to 1e-15), then returns how many it did.
 * `t` (or NULL) is called every 2 ms or so. */
double busy_work(double flops, struct tick *t);

/* Local. The BUSY_LANES chains of the last work. Chain i begins at 1 + (i + 1) / (2
 * BUSY_LANES), and y = 0.999 y + 0.001 takes it nearer to 1: how many steps there were
 * can be told from where it is, for the first twenty thousand. */
const double *busy_chains(void);

#endif
