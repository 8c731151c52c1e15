/* What the parts of blocktransfer share: what it was asked for, what follows from that,
 * and what its stages do. */
#ifndef BLOCK_BLOCK_H
#define BLOCK_BLOCK_H

#include "block/order.h"
#include "run/run.h"

enum { BLOCK_DEPTH_MAX = 1024 };

struct block_settings { /* the options */
    struct run_options run;
    int64_t bytes, block, depth, misalign;
    const char *pattern, *layout;
};

/* r->context of all lanes. Between stages the first thread may change it; within one
 * nobody does. */
struct block {
    struct block_settings set;
    struct order order; /* where blocks are, and which comes when */
    bool pass;          /* blocks are checked in a pass of their own */
    int64_t written;    /* of each worker's blocks, in this repetition */
};

/* What all lanes do in a phase. */
struct block_work {
    enum io_op op;
    bool checks; /* what is read */
    bool untimed;
    double limit_s; /* 0: none */
    int64_t total;  /* of a worker's blocks */
};

/* ---- transfers.c ----------------------------------------------------------------- */

/* **Collective.** Bodies of stages (run/workload.h): write every block, read what was
 * written, and read and check it untimed. */
int block_write_all(struct run *r, void *context);
int block_read_all(struct run *r, void *context);
int block_check_all(struct run *r, void *context);

/* ---- figures.c ------------------------------------------------------------------- */

/* **Collective.** Adds the figures of a repetition. */
void block_figures(struct run *r);

#endif
