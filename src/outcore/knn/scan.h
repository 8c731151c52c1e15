/* A pass over the file: each lane reads its section as a stream and keeps the nearest
 * vectors for each query of the pass; then all lists are merged to one answer. */
#ifndef OUTCORE_KNN_SCAN_H
#define OUTCORE_KNN_SCAN_H

#include "outcore/data/make.h"
#include "outcore/knn/format.h"
#include "outcore/knn/kernel.h"
#include "run/run.h"
#include "run/stream/stream.h"

/* ---- the scan -------------------------------------------------------------------- */

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

/* ---- after the scan -------------------------------------------------------------- */

/* Classifies queries by the labels of their neighbours: from a file with a label for
 * each vector, numbers of one byte or two (little-endian), or made from the seed. */

/* ---- entries --------------------------------------------------------------------- */

/* The entries of a pass's answer in the order of their vectors' numbers, so that their
 * data is read in one pass over a file. */

/* Local. Opens a file for reading pieces outside of the measurement: by posix, through
 * the page cache. */
void entries_file(struct run_file *f, struct run *r, const char *path,
                  int64_t max_request);

/* ---- classification -------------------------------------------------------------- */

struct classify {
    const char *path; /* NULL: labels are made */
    int64_t classes;  /* number of made labels; 0: no labels */
    int64_t bytes;    /* of the file */
    int32_t *label;   /* for the queries of the last pass, on rank 0 */
    int32_t *near;    /* of their neighbours */
};

/* Local. True if classification is requested. */
static inline bool classify_asked(const struct classify *c)
{
    return c->path || c->classes;
}

/* Local, when the number of vectors is known. Returns 0, or -EINVAL with a sentence if
 * the file has another number of labels, or -ENOMEM. */
int classify_open(struct classify *c, const struct scan *s);
void classify_close(struct classify *c);

/* Local. The bytes that classify_open and classify_answer allocate on rank 0. */
int64_t classify_memory(const struct scan *s);

/* **Collective.** Phase `classify`, which is not part of the work: rank 0 reads the
 * labels of the answer's vectors, a block at a time. Returns the agreed verdict. */
int classify_answer(struct run *r, struct classify *c, struct scan *s);

/* ---- the check ------------------------------------------------------------------- */

/* Checks an answer by float64, outside of the measurement. */

/* **Collective.** Phase `check`, which is not part of the work. Reads the answer of a
 * pass again, its queries divided among ranks: distances must be as given, and in
 * order; and of `sample` vectors of each rank's sections none may be nearer than the
 * last one of a list without being in it. *distances: number compared, of all ranks.
 * Returns the agreed verdict: -EIO with a sentence if the answer is wrong. Memory:
 * check_memory bytes. */
int check_answer(struct run *r, struct scan *s, int64_t sample, int64_t *distances);

/* Local. The bytes that it allocates on a rank. */
int64_t check_memory(const struct scan *s);

#endif
