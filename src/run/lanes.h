/* Lanes: threads within a rank, each of which does one thing at a time, as a rank
 * without lanes does. A lane has its own phase, failure, checks and processor time: the
 * parts of a phase add up for each lane, and the report reduces over lanes as it does
 * over ranks. */
#ifndef RUN_LANES_H
#define RUN_LANES_H

#include "run/run.h"

#define RUN_LANES_MAX 1024

/* The option --threads, for the tables of programs whose ranks may have several lanes.
 * `work`: true if more lanes do more work; false if they share the same work. */
/* clang-format off */
#define RUN_LANES(o) RUN_LANES_WITH(o, true)
#define RUN_LANES_WITH(o, work) \
    {.kind = OPT_INT, .name = "threads", .value = &(o).threads, .preset = "1", \
     .arg = "N", .unit = "1", .min = 1, .max = RUN_LANES_MAX, .workload = work, \
     .needs = RUN_TAKES_LANES, \
     .text = run_threads_text, \
     .help = "lanes per rank: threads that transfer, each as if it were a rank"}
/* clang-format on */

/* The body of a lane. `r` is the rank's run for lane 0 and a view of it for the others
 * (r->lane is the lane's number). It transfers, stamps and checks with `r`, and with
 * files named for it. It calls nothing **Collective**, MPI only in lane 0, whose thread
 * initialized MPI, and adds nothing to the report. */
typedef void run_lane_body(struct run *r, void *context);

/* Local, between phases. Starts the threads of `lanes` lanes, which live until
 * run_lanes_close; with 1 there is nothing to start or close. run_ready and run_finish
 * call these for --threads. Returns 0, or -ENOMEM or -EAGAIN with a sentence. */
int run_lanes_open(struct run *r, int lanes);
void run_lanes_close(struct run *r);

/* Local. The run of lane i: `r` itself for lane 0. */
struct run *run_lane_of(struct run *r, int i);

/* Local. Runs the body once on each lane, lane 0 on the caller's thread; returns when
 * all have ended. The first failure of a lane becomes the rank's. */
void run_lanes(struct run *r, run_lane_body *body, void *context);

/* **Collective.** run_file_open, run_file_close and run_file_remove for the files of
 * all n lanes of this rank; f[i] is named for run_lane_of(r, i). The caller's thread
 * does everything, as MPI requires, except the syncs, which lanes make concurrently.
 * For a shared file, lane 0 represents the rank in collective calls. */
int run_file_open_lanes(struct run_file f[], int n, int flags);
int run_file_close_lanes(struct run_file f[], int n, bool written);
int run_file_remove_lanes(struct run_file f[], int n);

/* ---- for src/run only ------------------------------------------------------------ */

/* Local. Begin and end a phase on the lanes other than the first. The end adds their
 * counts to the rank's. */
void lanes_begin_phase(struct run *r, const char *name);
void lanes_end_phase(struct run *r);

/* Local. lanes_fail gives all lanes the rank's agreed failure; lanes_take gives the
 * rank a lane's failure. */
void lanes_fail(struct run *r);
void lanes_take(struct run *r);

/* Local. The transfers that the rank's lanes have counted in this phase; and the lanes'
 * phases for the report, r->lanes of them. */
int64_t lanes_calls(struct run *r, enum act a);
const struct phase *const *lanes_phases(struct run *r);

#endif
