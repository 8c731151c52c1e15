/* Whether an answer is right, by float64, outside of what is measured. */
#ifndef OUTCORE_KNN_CHECK_H
#define OUTCORE_KNN_CHECK_H

#include "outcore/knn/scan.h"

/* **Collective.** Phase `check`, which is none of the work: the answer of a pass, its
 * queries shared out among ranks, is read once more and must be as far as was said, in
 * order; and of `sample` vectors of each rank's sections none may be nearer than the
 * last one of a list and not be in it. *distances: those compared, of all ranks.
 * Returns the agreed verdict: -EIO with a sentence where the answer is wrong.
 * Memory: check_memory bytes. */
int check_answer(struct run *r, struct scan *s, int64_t sample, int64_t *distances);

/* Local. Bytes that it allocates, of a rank. */
int64_t check_memory(const struct scan *s);

#endif
