/* Classifies queries by the labels of their neighbours: from a file with a label for
 * each vector, numbers of one byte or two (little-endian), or made from the seed. */
#ifndef OUTCORE_KNN_CLASSIFY_H
#define OUTCORE_KNN_CLASSIFY_H

#include "outcore/knn/scan.h"

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

#endif
