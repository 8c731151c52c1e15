/* Sorts pairs of 64-bit numbers, each half in its own array, by the first. No MPI,
 * no files. */
#ifndef OUTCORE_GRAPH_PAIRS_H
#define OUTCORE_GRAPH_PAIRS_H

#include <stdint.h>

/* Local. Sorts n pairs by their keys; pairs of equal keys stay in order. `other`: as
 * much memory again, whose content is lost. The arrays may be exchanged: the result is
 * in `of`. */
struct pairs {
    uint64_t *key, *value;
};
void pairs_sort(struct pairs *of, struct pairs *other, int64_t n);

#endif
