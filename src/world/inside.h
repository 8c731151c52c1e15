/* What the files of this folder share; nobody else includes it. */
#ifndef WORLD_INSIDE_H
#define WORLD_INSIDE_H

#include "world/world.h"

/* **Collective** on w->comm, and the first thing that is. Holds against each other
 * what the ranks were asked to do. `parsed`: what opt_parse returned, or the
 * program's own checks. Returns what it is on all ranks, or -EINVAL with a sentence
 * where it differs. */
int config_agree(const struct world *w, const struct opt_program *p, int parsed);

/* ---- the watchdog's thread ------------------------------------------------------- */

/* It looks at everything a few times a second, so that arming costs a few stores and no
 * system call, and a sign of life is one store. */
#define WATCHDOG_LOOK_NS INT64_C(200000000)
#define WATCHDOG_TURNS 8

/* Local. The kernel's number of its thread. */
pid_t watchdog_thread(void);

/* Local. As watchdog_arm_as_set, but a minute at least: starting and ending MPI. */
void watchdog_arm_start(const char *what);

/* Local, and of its thread only. Ends the run: "program: rank 3 on n1: " and what is
 * given are its sentence. */
void watchdog_end(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Local. So much later than rank 0 does this one speak. */
int64_t watchdog_courtesy_ns(void);

/* ---- signs of life --------------------------------------------------------------- */

/* **Collective** on w->comm, and on `node`, the ranks of ours. From now on the
 * watchdog's threads look after each other. Sets w->watched. Returns 0 or -ENOMEM,
 * agreed. */
int heartbeat_open(struct world *w, MPI_Comm node);

/* Local, and of the watchdog's thread only. We live; and: do the others? lived_ns: our
 * own time. */
void heartbeat_tick(void);
void heartbeat_look(int64_t lived_ns, double limit_s);

/* Local, and of that thread only. The run has failed: the other ranks here get SIGTERM,
 * remove their files and end with EXIT_FAILED. */
void heartbeat_fail(void);

/* Local, and of that thread only, after it: waits until all have removed theirs, a
 * moment at most. */
void heartbeat_let_end(void);

/* Local, and of that thread only. A call has not come back: names a rank of this node
 * that gives no sign of life meanwhile, and for which it may have waited; else "".
 * Takes some looks. */
void heartbeat_name_silent(char *out, size_t size);

/* Local, when that thread has ended: nobody is to miss us. */
void heartbeat_close(void);

#endif
