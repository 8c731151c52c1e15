/* Checks an answer by float64, outside of the measurement. */
#ifndef OUTCORE_KNN_CHECK_H
#define OUTCORE_KNN_CHECK_H

#include "outcore/knn/scan.h"

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
