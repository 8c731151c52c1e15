/* Lanes: threads within a rank, each of which does one thing at a time, as a rank does
 * where there are no more. A lane has a phase, a failure, checks and processor time of
 * its own: the parts of a phase add up for each lane, and the report reduces over lanes
 * as it does over ranks. */
#ifndef RUN_LANES_H
#define RUN_LANES_H

#include "run/run.h"

#define RUN_LANES_MAX 1024

/* Of programs whose ranks may have several lanes, in their option tables. `work`:
 * whether more lanes do more; else they do the same together. */
/* clang-format off */
#define RUN_LANES(o) RUN_LANES_WITH(o, true)
#define RUN_LANES_WITH(o, work) \
    {.kind = OPT_INT, .name = "threads", .value = &(o).threads, .preset = "1", \
     .arg = "N", .unit = "1", .min = 1, .max = RUN_LANES_MAX, .workload = work, \
     .needs = RUN_TAKES_LANES, \
     .help = "lanes per rank: threads that transfer, each as if it were a rank"}
/* clang-format on */

/* What a lane does, with a run of its own: `r` of the rank for lane 0, a view of it for
 * the others (r->lane tells which it is). Its transfers, stamps and checks are made
 * with that, and with files that were named for it. It calls nothing that is
 * **Collective**, and no MPI but in lane 0, whose thread is the one that MPI stays
 * with; it adds nothing to the report. */
typedef void run_lane_body(struct run *r, void *context);

/* Local, between phases. Starts the threads of so many lanes, which live until
 * run_lanes_close; with 1 there is nothing to start, nor to close. run_ready and
 * run_finish do it for --threads. Returns 0, -ENOMEM or -EAGAIN with a sentence. */
int run_lanes_open(struct run *r, int lanes);
void run_lanes_close(struct run *r);

/* Local. The run of lane i: `r` itself for lane 0. */
struct run *run_lane_of(struct run *r, int i);

/* Local. Runs the body once on each lane, lane 0 on the caller's thread; returns when
 * all have ended. The first failure of a lane becomes the rank's. */
void run_lanes(struct run *r, run_lane_body *body, void *context);

/* **Collective.** As run_file_open, run_file_close and run_file_remove, of the files of
 * all n lanes of this rank, f[i] named for run_lane_of(r, i). All is done on the
 * caller's thread, as MPI stays with it, but for the syncs, which lanes make at once.
 * Of a shared file, lane 0's stands for the rank in what is collective. */
int run_file_open_lanes(struct run_file f[], int n, int flags);
int run_file_close_lanes(struct run_file f[], int n, bool written);
int run_file_remove_lanes(struct run_file f[], int n);

/* ---- for src/run only ------------------------------------------------------------ */

/* Local. What the beginning and the end of a phase are for the lanes beside the first.
 * The end adds what they counted to the rank's. */
void lanes_begin_phase(struct run *r, const char *name);
void lanes_end_phase(struct run *r);

/* Local. A failure of the rank, agreed upon, is one of all its lanes; and that of a
 * lane is the rank's. */
void lanes_fail(struct run *r);
void lanes_take(struct run *r);

/* Local. Transfers that the rank's lanes have counted in this phase; and what they are
 * to the report, r->lanes of them. */
int64_t lanes_calls(struct run *r, enum act a);
const struct phase *const *lanes_phases(struct run *r);

#endif
