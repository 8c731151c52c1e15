/* A stream through sets of operations, for each lane of a rank. Memory of a lane: the
 * sets in flight (r->buffer), another set to copy into, and O(operations in flight). */
#ifndef OUTCORE_AIO_FLOW_H
#define OUTCORE_AIO_FLOW_H

#include "outcore/aio/sets.h"
#include "outcore/data/consume.h"
#include "run/lanes.h"

struct flow_lane { /* results of a lane in the last phase */
    struct run_io *io;
    struct io_req *req;
    void *copy;
    int64_t begin_ns, end_ns;
    int64_t late_sets; /* sets that were complete after the next one */
    uint64_t checksum;
    int threads; /* most threads of the process that were seen; by lane 0 */
};

struct flow { /* the same for all lanes */
    struct sets sets;
    int in_flight; /* sets in flight */
    bool queue;    /* keep a queue full, instead of set by set */
    struct consume consume;
    struct flow_lane *lane;
    enum io_op op; /* this and the next: of the phase */
    bool checks;   /* check what is read */
};

/* Local. Allocate and free the memory of `lanes` lanes. Returns 0, or -ENOMEM with
 * a sentence. */
int flow_open(struct flow *f, int lanes);
void flow_close(struct flow *f, int lanes);

/* Local. The body of a phase, for run_lanes; `flow` is a struct flow. Writes or reads
 * the stream of the lane's file. */
void flow_run(struct run *r, void *flow);

/* Local. The number of this process's threads; 0: not known. */
int flow_threads(void);

#endif
