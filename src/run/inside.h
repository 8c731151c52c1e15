/* Parts of a run that only src/run calls: the storage below the files, and --live. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "run/run.h"

/* **Collective**, in a comparison: makes the run what the options say that are now in
 * place, as run_start did. Returns the agreed verdict. */
int run_again(struct run *r);

/* **Collective**, in a comparison, with the settings of an arm in place whose --dir is
 * another one than the first arm's: looks at it, as run_ready did, and describes it in
 * the report. Returns the agreed verdict. */
int run_look(struct run *r, int64_t disk_bytes, const char *layout);

/* ---- storage --------------------------------------------------------------------- */

/* Local. The place whose storage is reported: --dir, or the run's input. */
const char *run_storage_path(const struct run *r);

/* **Collective.** Finds r->stack: the storage, among the nodes', that can serve most
 * from memory. Returns the agreed verdict. */
int run_storage_find(struct run *r);

/* Local, on rank 0. Fills in what is known of file system, layers and stripes (pointers
 * into r and static memory, for report_file), and warns if all storage is memory. */
void run_storage_tell(struct run *r, struct report_file *f);

/* **Collective**; nothing unless nodes are on unlike storage. Adds the rates of a phase
 * by groups of nodes. */
void run_storage_rates(struct run *r, const struct report_rate *rate);

/* **Collective.** Computes the shares of the bytes read, as r->origin counts them, that
 * were in memory, came from below the page cache, and from a device. If nodes are on
 * unlike storage, it says that of each group. The second warns if memory served reads,
 * or may have. */
void run_storage_shares(struct run *r, struct report_checks *c);
void run_storage_warn(struct run *r, const struct report_checks *c);

/* ---- --doctor -------------------------------------------------------------------- */

/* **Collective.** Examines --dir (doctor/doctor.h) if --doctor asks for it, and reports
 * the findings. Returns the agreed verdict. The second function frees them, after the
 * report is closed. */
int run_examine(struct run *r);
void run_examine_close(struct run *r);

/* ---- --live ---------------------------------------------------------------------- */

/* Local, on rank 0; does nothing on others and without --live. Start and end the
 * thread; the end writes a last line. Returns 0, or -errno with a sentence. */
int live_open(struct run *r);
void live_close(struct run *r);

/* Local. Counts lane i's transfers in p->live from now on. */
void live_watch(struct run *r, struct phase *p, int i);

/* Local. Names the phase for the lines from now on. */
void live_phase(struct run *r, const char *name);

#endif
