/* A stream through sets of operations, for each lane of a rank. Memory of a lane: the
 * sets in flight (r->buffer), another set to copy into, and O(operations in flight). */
#ifndef OUTCORE_AIO_FLOW_H
#define OUTCORE_AIO_FLOW_H

#include "outcore/data/consume.h"
#include "run/lanes.h"
#include "run/run.h"
#include <stdint.h>

/* ---- sets ------------------------------------------------------------------------ */

struct sets {
    int64_t bytes;    /* of the stream */
    int64_t op_bytes; /* of an operation; the last one may have fewer */
    int64_t per_set;  /* operations in a set; the last one may have fewer */
    int64_t ops, sets;
};

struct sets_op {
    int64_t offset, bytes;
};

/* Local. Makes sets of set_bytes and `per_set` operations each, all > 0. Returns 0, or
 * -EINVAL with a sentence if the operations of a set cannot be equally large. */
int sets_make(struct sets *s, int64_t bytes, int64_t set_bytes, int64_t per_set);

/* Local. Operation i of the stream, 0 .. ops - 1. */
struct sets_op sets_op(const struct sets *s, int64_t i);

/* Local. For set k, 0 .. sets - 1: the number of its first operation, its number of
 * operations, and its bytes. */
int64_t sets_first(const struct sets *s, int64_t k);
int64_t sets_count(const struct sets *s, int64_t k);
int64_t sets_bytes(const struct sets *s, int64_t k);

/* ---- the flow -------------------------------------------------------------------- */

/* ---- engines --------------------------------------------------------------------- */

/* --engines: several I/O engines that one run compares. */

#define ENGINES_MOST 16

struct engines {
    int n;
    const char *spec[ENGINES_MOST]; /* "aio:descriptors=4" */
    char text[1024];                /* memory of their texts */
    char absent[1024];              /* with "all": unusable ones, and the reason */
};

/* **Collective.** Parses the engines in `list`: "posix,aio:descriptors=4,threads=8",
 * where a word with "=" and without ":" is an option of the engine before it; "all"
 * means those of the paper and later ones that can be used here; NULL means that of
 * IOMETHOD. Returns 0, or, on every rank, -errno with a sentence. Sets r->engine to one
 * that stores files, if there is one. */
int engines_parse(struct engines *e, struct run *r, const char *list);

/* Local. The engine at position `turn` of a repetition: each is first in one
 * of them. */
int engines_turn(const struct engines *e, int rep, int turn);

/* Local. True if one of them stores what is written. */
bool engines_store(const struct engines *e);

/* ---- the flow -------------------------------------------------------------------- */

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
