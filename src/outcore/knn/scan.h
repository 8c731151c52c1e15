/* A pass over the file: each lane reads its section as a stream and keeps the nearest
 * vectors for each query of the pass; then all lists are merged to one answer. */
#ifndef OUTCORE_KNN_SCAN_H
#define OUTCORE_KNN_SCAN_H

#include "outcore/data/make.h"
#include "outcore/knn/format.h"
#include "outcore/knn/kernel.h"
#include "outcore/knn/nearest.h"
#include "run/run.h"
#include "run/stream.h"

struct scan_lane {
    struct nearest nearest;
    void *memory;   /* for the stream */
    void *room;     /* for the kernel */
    int64_t cpu_ns; /* for distances, in the last pass */
    bool named;     /* the vectors of its failure were named */
};

struct scan {
    struct data_file data;
    struct data_rows rows;
    struct format format;
    const struct kernel *kernel;
    int64_t buffer, slots, k;
    int64_t most;                 /* most queries in a pass */
    float *queries;               /* of this pass, as generated */
    struct kernel_queries packed; /* the same, packed for the kernel */
    struct neighbour *room;       /* k entries, for merging */
    struct scan_lane *lane;
    uint64_t key; /* for the queries */
};

/* Local. The bytes that scan_open allocates for a rank. */
int64_t scan_memory(struct run *r, const struct scan *s);

/* Local. Returns 0, or -ENOMEM with a sentence. scan_close frees everything. */
int scan_open(struct run *r, struct scan *s);
void scan_close(const struct run *r, struct scan *s);

/* Local. Sets the queries of the next pass: n from number `first` on. */
void scan_queries(struct scan *s, int64_t first, int64_t n);

/* **Collective.** Phase `scan`. Bytes: rows x bytes of a row; with --cache=direct each
 * section ends with a whole block. Returns the agreed verdict; -EIO if other bytes were
 * counted. *cpu_ns: processor time of this process. */
int scan_pass(struct run *r, struct scan *s, int64_t *cpu_ns);

/* **Collective.** Phase `merge`: no transfers; k entries of each query from every
 * rank but one. Afterwards every rank has the answer (scan_answer). Returns the
 * agreed verdict. */
int scan_merge(struct run *r, struct scan *s);

/* Local. The list of a query, the nearest first. */
static inline const struct neighbour *scan_answer(const struct scan *s, int64_t query)
{
    return s->lane[0].nearest.list + query * s->k;
}

#endif
