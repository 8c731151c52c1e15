/* Classifies queries by the labels of their neighbours: from a file with a label for
 * each vector, numbers of one byte or two (little-endian), or made from the seed. */
#ifndef OUTCORE_KNN_CLASSIFY_H
#define OUTCORE_KNN_CLASSIFY_H

#include "outcore/knn/scan.h"

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
