/* A stream through sets of operations, by each lane of a rank. Memory of a lane: the
 * sets in flight (r->buffer), a set more to copy into, and O(operations in flight). */
#ifndef OUTCORE_AIO_FLOW_H
#define OUTCORE_AIO_FLOW_H

#include "outcore/aio/sets.h"
#include "outcore/data/consume.h"
#include "run/lanes.h"

struct flow_lane { /* what a lane came to in the phase that was last */
    struct run_io *io;
    struct io_req *req;
    void *copy;
    int64_t begin_ns, end_ns;
    int64_t late_sets; /* that were complete after the set that was started next */
    uint64_t checksum;
    int threads; /* most that the process was seen to have; lane 0 looks */
};

struct flow { /* the same for all lanes */
    struct sets sets;
    int in_flight; /* sets */
    bool queue;    /* kept full, and not set by set */
    struct consume consume;
    struct flow_lane *lane;
    enum io_op op; /* from here on: of the phase */
    bool checks;   /* what is read */
};

/* Local. Memory for so many lanes, and its end. 0 or -ENOMEM with a sentence. */
int flow_open(struct flow *f, int lanes);
void flow_close(struct flow *f, int lanes);

/* Local. The body of a phase, for run_lanes; `flow` is a struct flow. Writes or reads
 * the stream of the lane's file. */
void flow_run(struct run *r, void *flow);

/* Local. How many threads this process has; 0: not known. */
int flow_threads(void);

#endif
