/* --live: shows what rank 0 has transferred while it runs, as a line on stderr and a
 * row of a CSV each S seconds, for its own lanes, so that a stalled device shows before
 * the run ends. A thread of its own writes them: the transferring threads could say
 * nothing during a stall, and the watchdog's thread must not wait for a terminal or a
 * file system. It reads counters that lanes keep only for it, and calls no MPI. */
#ifndef RUN_LIVE_H
#define RUN_LIVE_H

#include "run/run.h"

/* Local, on rank 0; does nothing on others and without --live. Start and end the
 * thread; the end writes a last line. Returns 0, or -errno with a sentence. */
int live_open(struct run *r);
void live_close(struct run *r);

/* Local. Counts lane i's transfers in p->live from now on. */
void live_watch(struct run *r, struct phase *p, int i);

/* Local. Names the phase for the lines from now on. */
void live_phase(struct run *r, const char *name);

#endif
