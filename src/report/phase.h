/* Accounts for the time of a phase: at any moment a process does exactly one activity,
 * so the parts add up to the whole. No MPI, no allocation, one clock reading per change
 * of activity. Engines never time themselves. */
#ifndef REPORT_PHASE_H
#define REPORT_PHASE_H

#include "base/clock.h"
#include "base/stats.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- series ---------------------------------------------------------------------- */

/* Transfers over time, by their ends, in slots of equal length. When all slots are used
 * up, the length doubles and two become one, so that memory is constant, whatever the
 * length of the run: 6 KiB. */

#define SERIES_SLOTS 256
#define SERIES_SHIFT 20 /* a slot is 2^20 ns at first: 1.05 ms */

struct series_slot {
    int64_t bytes, calls, longest_ns;
};

struct series {
    int shift; /* a slot is 2^shift ns */
    struct series_slot slot[SERIES_SLOTS];
};

/* Local. Empties the series. */
void series_clear(struct series *s);

/* Local. Doubles the slots' length until `ns` lies in one of them, and shift is at
 * least `shift`. */
void series_grow(struct series *s, int64_t ns, int shift);

/* Local. Adds a transfer that ended at_ns after the beginning (before it: in the
 * first slot). */
static inline void series_add(struct series *s, int64_t at_ns, int64_t bytes,
                              int64_t latency_ns)
{
    int64_t i = at_ns > 0 ? at_ns >> s->shift : 0;
    if (i >= SERIES_SLOTS) {
        series_grow(s, at_ns, 0);
        i = at_ns >> s->shift;
    }
    struct series_slot *slot = &s->slot[i];
    slot->bytes += bytes;
    slot->calls++;
    if (latency_ns > slot->longest_ns)
        slot->longest_ns = latency_ns;
}

/* Local. Adds another series, which began `later_ns` after this one. Both grow
 * as necessary. */
void series_join(struct series *s, const struct series *other, int64_t later_ns);

/* ---- phases ---------------------------------------------------------------------- */

enum act {
    ACT_COMPUTE,     /* the time of none of the others */
    ACT_COMMUNICATE, /* between ranks, as part of the program's work */
    ACT_OPEN_CLOSE,  /* the first of three with series, which reduce.c takes in a row */
    ACT_READ,        /* visible: submitting and waiting */
    ACT_WRITE,
    ACT_SYNC,  /* to stable storage */
    ACT_CHECK, /* the benchmark's own care: stamping, poisoning, verifying,
                        dropping and counting cached pages */
    ACT_IDLE,  /* waiting for other ranks: barriers, concurrency gates */
    ACT_COUNT
};

extern const char *const act_name[ACT_COUNT]; /* "compute", "communicate", ... */

/* Calls that move no data, each with its own histogram. fsync is a call of ACT_SYNC,
 * the others are calls of ACT_OPEN_CLOSE. */
enum phase_op {
    PHASE_OP_OPEN,
    PHASE_OP_CLOSE,
    PHASE_OP_STAT,
    PHASE_OP_CREATE,
    PHASE_OP_UNLINK,
    PHASE_OP_RENAME,
    PHASE_OP_MKDIR,
    PHASE_OP_RMDIR,
    PHASE_OP_READDIR,
    PHASE_OP_CHMOD,
    PHASE_OP_LINK,
    PHASE_OP_SYMLINK,
    PHASE_OP_READLINK,
    PHASE_OP_SETXATTR,
    PHASE_OP_GETXATTR,
    PHASE_OP_FSYNC,
    PHASE_OPS
};

extern const char *const phase_op_name[PHASE_OPS]; /* "open", "close", ... */

/* Device bytes that were not reported yet; and that were reported as unknown. */
#define PHASE_DEVICE_UNTOLD (-1)
#define PHASE_DEVICE_UNKNOWN (-2)

struct phase_act {
    int64_t ns;
    int64_t calls, bytes; /* of transfers; calls also of phase_op; 0 for others */
    int64_t device_bytes; /* < 0: not known */
    int64_t submit_ns, wait_ns;
    int64_t latency_max_ns;
    int64_t *hist;         /* HIST_SIZE latencies in ns; only ACT_READ and ACT_WRITE */
    struct series *series; /* since begin_ns; for these two, and ACT_OPEN_CLOSE */
};

struct phase_calls { /* calls of one enum phase_op */
    int64_t calls, ns, latency_max_ns;
    int64_t hist[HIST_SIZE];
};

/* Counters that another thread may read during the phase, of reads and of writes.
 * One thread adds; another one reads, and resets the longest latency, all by
 * atomic accesses. */
struct phase_live {
    int64_t bytes[2], calls[2], longest_ns[2];
    int64_t act;            /* the present activity: enum act */
    int64_t to_64_bytes[1]; /* no two lanes write one cache line */
};

struct phase {
    char name[16];
    int rep; /* from 1 */
    enum act now;
    bool mixed;  /* reads and writes share their seconds: they were in
                  * flight together */
    bool paused; /* the kernel may have moved bytes in pauses, which no
                  * transfer counts */
    int64_t begin_ns, end_ns, switch_ns;
    char utc_begin[CLOCK_UTC_SIZE], utc_end[CLOCK_UTC_SIZE];
    struct phase_act act[ACT_COUNT];
    struct phase_calls *op;  /* PHASE_OPS of them */
    struct phase_live *live; /* for all phases; NULL: no reader */
};

/* Local. Allocate (once for each lane: 118 KiB, whatever is counted) and free. Returns
 * 0 or -ENOMEM. */
int phase_open(struct phase **p);
void phase_close(struct phase **p);

/* Local. phase_begin zeroes all and starts the clock in ACT_COMPUTE; phase_end stops
 * it. Outside of a phase the calls below are harmless: they count no time, but bytes,
 * so that kernel counters may be read after phase_end. */
void phase_begin(struct phase *p, const char *name, int rep);
void phase_end(struct phase *p);

/* Local. Changes the present activity to `a`. Returns the previous one, to switch
 * back to. */
enum act phase_act(struct phase *p, enum act a);

/* Local. The same as of the time `ns` (clock_ns), which the caller has read; not before
 * the last change. */
enum act phase_act_at(struct phase *p, enum act a, int64_t ns);

/* Local. Moves `ns` nanoseconds from one activity to another: for code that cannot know
 * phases but reports how long it waited. */
void phase_move(struct phase *p, enum act from, enum act to, int64_t ns);

/* Local. Counts one finished transfer, from submission to completion (clock_ns). The
 * series has it at its end. Does not change the present activity. */
void phase_transfer(struct phase *p, enum act a, int64_t bytes, int64_t start_ns,
                    int64_t end_ns);

/* Local. Counts one finished call that moves no data, and adds it to the series, if
 * there is one. Does not change the present activity. */
void phase_op(struct phase *p, enum phase_op op, int64_t start_ns, int64_t end_ns);

/* Local. The activity whose calls `op` is among. */
enum act phase_op_act(enum phase_op op);

/* Local. Adds device bytes to `a`; a negative value makes the sum unknown. */
void phase_device(struct phase *p, enum act a, int64_t bytes);

/* Local. Splits the visible time (asynchronous engines). */
void phase_visible(struct phase *p, enum act a, int64_t submit_ns, int64_t wait_ns);

#endif
