/* A callback that long computations call every few milliseconds, so that a program
 * can advance asynchronous I/O: MPICH's nonblocking collectives advance only inside
 * an MPI call. */
#ifndef MADBENCH_TICK_H
#define MADBENCH_TICK_H

#include "base/clock.h"

#include <stddef.h>
#include <stdint.h>

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

#endif
