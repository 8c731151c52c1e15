/* Labels of vectors, and the vote of neighbours on a query. */
#ifndef OUTCORE_KNN_LABELS_H
#define OUTCORE_KNN_LABELS_H

#include <stdint.h>

#define LABELS_MOST 65536
#define LABELS_NONE (-1)

/* Local. The label, one of `classes`, that a seed gives to vector `id`. */
int32_t labels_made(uint64_t seed, uint64_t id, int64_t classes);

/* Local. The most frequent label of n neighbours, the nearest first (LABELS_NONE: there
 * is no such neighbour); among equally frequent labels, the one whose nearest neighbour
 * is nearest. LABELS_NONE: there is no neighbour. */
int32_t labels_vote(const int32_t *label, int64_t n);

#endif
