/* Where the time of a phase went: at any moment a process does exactly one
 * activity, so the parts add up to the whole. No MPI, no allocation, one clock
 * reading per change of activity. Engines never time themselves. */
#ifndef REPORT_PHASE_H
#define REPORT_PHASE_H

#include "base/clock.h"
#include "base/hist.h"
#include "report/series.h"
#include <stdbool.h>
#include <stdint.h>

enum act {
    ACT_COMPUTE,     /* what is left when none of the others is going on */
    ACT_COMMUNICATE, /* between ranks, as part of the program's work */
    ACT_OPEN_CLOSE,  /* these three have series: reduce.c takes them in a row */
    ACT_READ,        /* visible: submitting and waiting */
    ACT_WRITE,
    ACT_SYNC,  /* to stable storage */
    ACT_CHECK, /* the benchmark's own care: stamping, poisoning, verifying,
                        dropping and counting cached pages */
    ACT_IDLE,  /* waiting for other ranks: barriers, concurrency gates */
    ACT_COUNT
};

extern const char *const act_name[ACT_COUNT]; /* "compute", "communicate", ... */

/* Calls that move no data, each with a histogram of its own. fsync is a call of
 * ACT_SYNC, the others are calls of ACT_OPEN_CLOSE. */
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
    PHASE_OP_FSYNC,
    PHASE_OPS
};

extern const char *const phase_op_name[PHASE_OPS]; /* "open", "close", ... */

/* Nothing was said about device bytes yet; or what was said leaves them unknown. */
#define PHASE_DEVICE_UNTOLD (-1)
#define PHASE_DEVICE_UNKNOWN (-2)

struct phase_act {
    int64_t ns;
    int64_t calls, bytes; /* of transfers; calls also of phase_op; 0 for others */
    int64_t device_bytes; /* < 0: not known */
    int64_t submit_ns, wait_ns;
    int64_t latency_max_ns;
    int64_t *hist;         /* HIST_SIZE latencies in ns; only ACT_READ and ACT_WRITE */
    struct series *series; /* since begin_ns; the same two, and ACT_OPEN_CLOSE */
};

struct phase_calls { /* of one enum phase_op */
    int64_t calls, ns, latency_max_ns;
    int64_t hist[HIST_SIZE];
};

/* What somebody else may read while the phase goes on: of reads, of writes. One thread
 * adds; another one reads and takes the longest, all by atomic accesses. */
struct phase_live {
    int64_t bytes[2], calls[2], longest_ns[2];
    int64_t act;            /* what is going on: enum act */
    int64_t to_64_bytes[1]; /* no two lanes write one cache line */
};

struct phase {
    char name[16];
    int rep; /* 1.. */
    enum act now;
    bool mixed;  /* reads and writes share their seconds: they were in flight at once */
    bool paused; /* the kernel may have moved bytes in pauses, which no transfer has */
    int64_t begin_ns, end_ns, switch_ns;
    char utc_begin[CLOCK_UTC_SIZE], utc_end[CLOCK_UTC_SIZE];
    struct phase_act act[ACT_COUNT];
    struct phase_calls *op;  /* PHASE_OPS of them */
    struct phase_live *live; /* of all phases; NULL: nobody looks */
};

/* Local. Allocates (once for each lane: 84 KiB, whatever is counted) and frees. 0 or
 * -ENOMEM. */
int phase_open(struct phase **p);
void phase_close(struct phase **p);

/* Local. Zeroes all and starts the clock in ACT_COMPUTE; stops it. Outside of that
 * the calls below are harmless: no time is counted, but bytes are, so that kernel
 * counters may be read after phase_end. */
void phase_begin(struct phase *p, const char *name, int rep);
void phase_end(struct phase *p);

/* Local. From now on `a` is going on. Returns what was, to switch back to. */
enum act phase_act(struct phase *p, enum act a);

/* Local. The same, since the moment `ns` (clock_ns), which somebody else has read; no
 * earlier than the last change. */
enum act phase_act_at(struct phase *p, enum act a, int64_t ns);

/* Local. Of the nanoseconds that were counted as `from`, so many were `to`: for code
 * that cannot know phases but tells how long it waited. */
void phase_move(struct phase *p, enum act from, enum act to, int64_t ns);

/* Local. One finished transfer, from submission to completion (clock_ns). The series
 * has it where it ended. It does not change which activity is going on. */
void phase_transfer(struct phase *p, enum act a, int64_t bytes, int64_t start_ns,
                    int64_t end_ns);

/* Local. One finished call that moves no data; the series has it, where there is one.
 * Nor does this change the activity. */
void phase_op(struct phase *p, enum phase_op op, int64_t start_ns, int64_t end_ns);

/* Local. To which activity's calls it belongs. */
enum act phase_op_act(enum phase_op op);

/* Local. Adds device bytes to `a`; a negative value makes the sum unknown. */
void phase_device(struct phase *p, enum act a, int64_t bytes);

/* Local. How visible time divides (asynchronous engines). */
void phase_visible(struct phase *p, enum act a, int64_t submit_ns, int64_t wait_ns);

#endif
