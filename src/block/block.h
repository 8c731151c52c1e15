/* What the parts of blocktransfer share: what it was asked for, what follows from that,
 * and what its stages do. */
#ifndef BLOCK_BLOCK_H
#define BLOCK_BLOCK_H

#include "block/content.h"
#include "run/lanes.h"

enum { BLOCK_DEPTH_MAX = 1024, BLOCK_FILES_MAX = 1024 };

struct block_settings { /* the options */
    struct run_options run;
    int64_t bytes, block, depth;
    int64_t misalign; /* -1: random */
    int64_t files, mixed, think_us, compress, dedupe;
    int64_t fsync; /* -1: each */
    double theta;
    bool overwrite;
    const char *pattern, *layout;
    const char *input, *read_only; /* paths of what is there; NULL: neither */
    bool write_only;
};

struct block_lane;

/* r->context of all lanes. Between stages the first thread may change it; within one
 * nobody does, but each lane its own part. */
struct block {
    struct block_settings set;
    struct order order; /* where blocks are, and which comes when */
    struct content content;
    struct order_past past; /* in this repetition */
    bool pass;              /* blocks are checked in a pass of their own */
    bool stamps;            /* blocks are made anew for each write */
    int64_t fsync;          /* writes between two syncs; 0: none but the last */
    struct block_lane *lane;
};

/* What all lanes do in a phase. */
struct block_work {
    enum io_op op;
    bool mixed;  /* of both kinds, by number */
    bool lays;   /* every block once, from the first to the last */
    bool checks; /* what is read */
    bool untimed;
    double limit_s; /* 0: none */
    int64_t total;  /* of a worker's blocks */
};

/* ---- transfers.c ----------------------------------------------------------------- */

/* Local. Memory of the transfers of all lanes; -EINVAL with a sentence: too much. */
int block_buffers(const struct run *r, int64_t *bytes);

/* Local. -EINVAL with a sentence where a limit of time cannot be, as ranks must meet in
 * each transfer. */
int block_check_limit(const struct block_settings *set);

/* **Collective.** -EINVAL with a sentence, which ends with `what`, if --cache=direct
 * cannot move such blocks of `path`. */
int block_check_direct(const struct run *r, const char *path, const char *what);

/* **Collective.** `body`, which does of w->total blocks what is left, on all lanes;
 * with a limit, once more then, until all have done what the fastest did. */
void block_transfer(struct run *r, run_lane_body *body, struct block_work *w);

/* Local. What lanes keep over phases: bytes for each of them, to be told beforehand;
 * allocates it, 0 or -ENOMEM with a sentence; frees it. */
int64_t block_lane_bytes(const struct block *b);
int block_lanes_open(struct block *b, int lanes);
void block_lanes_close(struct block *b, int lanes);

/* **Collective.** Bodies of stages (run/workload.h). lay, untimed, in a stage without
 * flags: makes the files whole. */
int block_lay_all(struct run *r, void *context);
int block_write_all(struct run *r, void *context);
int block_mix_all(struct run *r, void *context);
int block_read_all(struct run *r, void *context);
int block_check_all(struct run *r, void *context); /* untimed */

/* ---- figures.c ------------------------------------------------------------------- */

/* **Collective.** Adds the figures of a repetition. */
void block_figures(struct run *r);

#endif
