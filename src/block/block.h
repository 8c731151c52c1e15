/* The parts that blocktransfer's sources share: its options, the values that follow
 * from them, and the bodies of its stages. */
#ifndef BLOCK_BLOCK_H
#define BLOCK_BLOCK_H

#include "block/order.h"
#include "run/lanes.h"
#include "run/workload.h"

enum { BLOCK_DEPTH_MAX = 1024, BLOCK_FILES_MAX = 1024 };

/* The transfers that --time may end: versions of blocks count them as int. */
#define BLOCK_ENDLESS ((int64_t)(INT32_MAX / 2 - 1))

struct block_settings { /* the options */
    struct run_options run;
    int64_t bytes, block, depth;
    int64_t misalign; /* -1: random */
    int64_t files, mixed, think_us, compress, dedupe;
    int64_t fsync; /* writes between two syncs; -1: after each */
    double theta;
    bool overwrite;
    bool once;                  /* --time ends a phase that has transferred all bytes */
    const char *sync, *sizes;   /* sizes: --block-sizes; NULL: one */
    const char *rate, *arrival; /* rate NULL: as fast as transfers complete */
    const char *pattern, *layout;
    const char *input, *read_only; /* paths of existing files to read; NULL:
                                    * not given */
    bool write_only;
};

struct block_repeats;
struct block_size;
struct block_arrivals;

struct block_lane {
    int64_t unsynced; /* writes since the last sync */
    struct block_repeats *repeats;
    struct block_size *sizes;        /* NULL: one size */
    struct block_arrivals *arrivals; /* NULL: no --rate */
};

/* r->context of all lanes. Between stages the first thread may change it; within a
 * stage each lane changes only its own part. */
struct block {
    struct block_settings set;
    struct order order; /* the blocks' places and sequence */
    struct content content;
    struct order_past past; /* what was written so far in this repetition */
    bool pass;              /* blocks are checked in a pass of their own */
    bool stamps;            /* blocks are stamped afresh for each write */
    int64_t fsync;          /* writes between two syncs; 0: only the last sync */
    int durable;            /* flags of files that are written: IO_DSYNC and others */
    double rate;            /* transfers of a lane in a second; 0: no --rate */
    int64_t moved[2];       /* blocks of several sizes: those read and written in this
                       * repetition, but not mixed */
    struct block_lane *lane;
};

/* The work of all lanes in a phase. */
struct block_work {
    enum io_op op;
    bool mixed;  /* reads and writes, told apart by the number of the transfer */
    bool lays;   /* writes every block once, from the first to the last */
    bool checks; /* checks the blocks that it reads */
    bool untimed;
    double limit_s; /* limit in seconds; 0: none */
    int64_t total;  /* number of a worker's transfers; BLOCK_ENDLESS: until the limit */
};

/* ---- transfers.c ----------------------------------------------------------------- */

/* Local. Computes the memory for the transfers of all lanes; -EINVAL with a sentence if
 * it is too much. */
int block_buffers(const struct run *r, int64_t *bytes);

/* Local. Returns -EINVAL with a sentence if a time limit is impossible because ranks
 * must meet in each transfer. */
int block_check_limit(const struct block_settings *set);

/* **Collective.** Returns -EINVAL with a sentence, which ends with `what`, if
 * --cache=direct cannot transfer such blocks of `path`. */
int block_check_direct(struct run *r, const char *path, const char *what);

/* **Collective.** Runs `body` on all lanes; it transfers what is left of
 * w->total blocks. With a limit, runs it again until all lanes have done as much
 * as the fastest. */
void block_transfer(struct run *r, run_lane_body *body, struct block_work *w);

/* Local. True if phases go round over their blocks until their time is up. */
static inline bool block_loops(const struct block *b)
{
    return b->set.run.time_s > 0 && !b->set.once;
}

/* Local. Memory that lanes keep over phases. The first returns the bytes of each
 * lane, to be declared in the plan; the others allocate (0, or -ENOMEM with a
 * sentence) and free. */
int64_t block_lane_bytes(const struct block *b);
int block_lanes_open(struct block *b, int lanes);
void block_lanes_close(struct block *b, int lanes);

/* **Collective.** Bodies of stages (run/workload.h). block_lay_all writes the whole
 * files, untimed, in a stage without flags. */
int block_lay_all(struct run *r, void *context);
int block_write_all(struct run *r, void *context);
int block_mix_all(struct run *r, void *context);
int block_read_all(struct run *r, void *context);
int block_check_all(struct run *r, void *context); /* untimed */

/* ---- sizes.c --------------------------------------------------------------------- */

/* Local, in plan. Parses --block-sizes: sets the order's sizes and the largest block.
 * Returns -EINVAL with a sentence. */
int block_sizes_plan(struct block *b);

/* Local. The bytes of the smallest block. */
int64_t block_least(const struct block *b);

/* Local. The mean of all blocks' bytes. */
double block_mean(const struct block *b);

/* Local. Latencies of each size: the bytes for a lane, their memory (NULL with a
 * sentence on failure), and a transfer of the size `kind`. */
int64_t block_sizes_bytes(const struct block *b);
struct block_size *block_sizes_open(const struct block *b);
void block_sizes_note(struct block_size *s, int kind, const struct io_req *req);

/* **Collective**, at the end of a phase. Adds the figures of each size. */
void block_sizes_figures(struct run *r);

/* ---- arrivals.c ------------------------------------------------------------------ */

/* Local, in plan, after block_sizes_plan. Parses --rate; -EINVAL with a sentence. */
int block_rate_plan(struct block *b);

/* Local. Memory of a lane's arrivals; NULL with a sentence on failure. */
int64_t block_arrivals_bytes(const struct block *b);
struct block_arrivals *block_arrivals_open(void);

/* Local, of a lane: at the beginning of a phase; the intended start of number i, again
 * and again until its time has come; when it is made, in a slot; when it is done; and
 * at the limit of time, after `made` transfers. */
void block_arrivals_begin(const struct run *r, struct block_arrivals *a);
int64_t block_arrivals_due(const struct block *b, struct block_arrivals *a, int64_t i,
                           int64_t now_ns);
void block_arrivals_take(struct block_arrivals *a, int slot);
void block_arrivals_done(struct block_arrivals *a, const struct io_req *req, int slot);
void block_arrivals_end(const struct block *b, struct block_arrivals *a, int64_t made,
                        double limit_s);

/* **Collective**, at the end of a phase. Adds figures of all lanes' arrivals. */
void block_arrivals_figures(struct run *r);

/* ---- figures.c ------------------------------------------------------------------- */

/* **Collective.** Adds the figures of a repetition. */
void block_figures(struct run *r);

/* ---- --input and --read-only ----------------------------------------------------- */

/* Local. True if the options name an input. */
bool input_given(const struct block_settings *set);

/* **Collective.** The calls of struct workload that differ in such a run. plan settles
 * the options that follow from the input, such as BYTES. */
int input_plan(struct run *r, struct run_need *n);
int input_open(struct run *r);
int input_results(struct run *r, int rc);
void input_close(struct run *r);

/* **Collective.** Bodies of stages: read every block, and read and check it untimed. */
int input_read_all(struct run *r, void *context);
int input_check_all(struct run *r, void *context);

/* ---- --keep and --write-only ----------------------------------------------------- */

/* Local, in plan: makes --write-only imply --keep, unless the user said otherwise. */
void keep_settle(struct run *r);

/* **Collective.** At the end of a repetition (struct workload: put_away): writes the
 * description of its files if they are kept and whole. Returns the agreed verdict. */
int keep_describe(struct run *r, int rc);

#endif
