/* What rank 0 has transferred while it runs (--live): a line on stderr and a row of a
 * CSV each S seconds, of its own lanes, so that nobody has to wait for the end to see
 * that a device stands still. A thread of its own says it: where transfers are made
 * nothing could be said during a stall, and the watchdog's thread, which could, must
 * not wait for a terminal or a file system. It reads counters that lanes write for
 * nobody else, and calls no MPI. */
#ifndef RUN_LIVE_H
#define RUN_LIVE_H

#include "run/run.h"

/* Local, on rank 0, nothing elsewhere and without --live. Starts and ends it; the end
 * says what is left. 0, or -errno with a sentence. */
int live_open(struct run *r);
void live_close(struct run *r);

/* Local. Lane i's transfers count in p->live from now on. */
void live_watch(struct run *r, struct phase *p, int i);

/* Local. The phase that lines are of from now on. */
void live_phase(struct run *r, const char *name);

#endif
