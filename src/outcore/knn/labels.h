/* Labels of vectors, and what their neighbours say a query is. */
#ifndef OUTCORE_KNN_LABELS_H
#define OUTCORE_KNN_LABELS_H

#include <stdint.h>

#define LABELS_MOST 65536
#define LABELS_NONE (-1)

/* Local. The label, of so many, that vector `id` is given by a seed. */
int32_t labels_made(uint64_t seed, uint64_t id, int64_t classes);

/* Local. What most of n neighbours are, the nearest first (LABELS_NONE: there is no
 * such neighbour); where several labels have as many, that of them whose nearest one is
 * nearest. LABELS_NONE: there is no neighbour. */
int32_t labels_vote(const int32_t *label, int64_t n);

#endif
