/* Declarations that the files of this folder share; nobody else includes it. */
#ifndef WORLD_INSIDE_H
#define WORLD_INSIDE_H

#include "world/world.h"

/* **Collective** on w->comm, and the first such call. Compares the configurations of
 * all ranks. `parsed`: the result of opt_parse, or of the program's own checks. Returns
 * it if all ranks have the same, or -EINVAL with a sentence if they differ. */
int config_agree(const struct world *w, const struct opt_program *p, int parsed);

/* ---- the watchdog's thread ------------------------------------------------------- */

/* The thread looks at everything a few times a second, so that arming costs a few
 * stores and no system call, and a sign of life is one store. */
#define WATCHDOG_LOOK_NS INT64_C(200000000)
#define WATCHDOG_TURNS 8

/* Local. Returns the kernel's number of the thread. */
pid_t watchdog_thread(void);

/* Local. Arms as watchdog_arm_as_set does, but with a minute at least: for starting and
 * ending MPI. */
void watchdog_arm_start(const char *what);

/* Local. Arms a short deadline for MPI_Finalize of a run that has succeeded: then the
 * process ends with status 0. */
void watchdog_arm_finalize(void);

/* Local, and of its thread only. Ends the run with a sentence: "program: rank 3 on n1:
 * " and the given text. */
void watchdog_end(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Local, and of its thread only. Ends the run after another node has said why. */
void watchdog_end_silently(void) __attribute__((noreturn));

/* Local. Returns how much later than rank 0 this rank speaks. */
int64_t watchdog_courtesy_ns(void);

/* ---- signs of life --------------------------------------------------------------- */

/* **Collective** on w->comm, and on `node`, the ranks of our node. Makes the watchdog
 * threads look after each other from now on. Sets w->watched. Returns 0 or -ENOMEM,
 * agreed. */
int heartbeat_open(struct world *w, MPI_Comm node);

/* Local, and of the watchdog's thread only. heartbeat_tick shows that we live, and
 * heartbeat_look checks the others. lived_ns: our own time. */
void heartbeat_tick(void);
void heartbeat_look(int64_t lived_ns, double limit_s);

/* Local, and of that thread only. Returns a descriptor that becomes readable when there
 * is something to look at before the usual time; -1: there is none. */
int heartbeat_descriptor(void);

/* Local, and of that thread only. Ends the run after a failure: the other ranks here
 * get SIGTERM, remove their files and end with EXIT_FAILED. */
void heartbeat_fail(void);

/* Local, and of that thread only. Waits until all ranks of the node call it, have
 * removed their files after a failure, or have ended; so they end in one moment. */
void heartbeat_let_end(int most_ms);

/* Local, and of that thread only. Names a rank of this node that gives no sign of life
 * while a call does not come back, and for which that call may have waited; else "". It
 * takes several looks. */
void heartbeat_name_silent(char *out, size_t size);

/* Local, when that thread has ended. Lets nobody miss us. */
void heartbeat_close(void);

#endif
