/* Busy work of a known number of floating-point operations, in place of the computation
 * between I/O operations (BWEXP of MADbench2, slide 7).
 *
 * Its unit of work is one multiplication and one addition, y = a y + b, counted as two
 * operations whether or not the processor fuses them, on BUSY_LANES independent chains
 * in registers: no memory traffic, no branch, no denormal and no overflow (y stays
 * between 1/2 and 2). The chains pass through an empty assembly statement, and their
 * results are kept, so that no compiler may remove, shorten or precompute them. */
#ifndef MADBENCH_BUSY_H
#define MADBENCH_BUSY_H

#include "base/clock.h"
#include <stddef.h>
#include <stdint.h>

/* ---- a callback ------------------------------------------------------------------ */

#define TICK_EVERY_NS 2000000 /* least interval of calls, well within 5 ms */

struct tick {
    void (*call)(void *arg);
    void *arg;
    int64_t last_ns; /* begins with 0 */
};

/* Local. Calls back if it is time; t may be NULL, or t->call. Call it after every few
 * tens of microseconds of work: a look at the clock costs 30 ns. */
static inline void tick_poll(struct tick *t)
{
    if (t == NULL || t->call == NULL)
        return;
    int64_t now = clock_ns();
    if (now - t->last_ns < TICK_EVERY_NS)
        return;
    t->call(t->arg);
    t->last_ns = clock_ns();
}

/* ---- busy work ------------------------------------------------------------------- */

#define BUSY_LANES 16

/* Local. The floating-point operations per second of busy_work on this rank, at the
 * present load of the other ranks (calibrate on all ranks together): the best of three
 * runs of about 10 ms. */
double busy_calibrate(void);

/* Local. Does `flops` operations (rounded to a whole number; none if it is not
 * positive; exact to 2^53, beyond to 1e-15), and returns their number. Calls `t` (or
 * NULL) every 2 ms or so. */
double busy_work(double flops, struct tick *t);

/* Local. The BUSY_LANES chains of the last work. Chain i begins at 1 + (i + 1) / (2
 * BUSY_LANES), and y = 0.999 y + 0.001 takes it nearer to 1: its value gives the number
 * of steps, for the first twenty thousand. */
const double *busy_chains(void);

#endif
