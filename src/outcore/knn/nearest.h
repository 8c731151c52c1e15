/* The k nearest vectors of each query: lists of the best so far, and how two of them
 * become one. The order is by (distance, number): of equally near vectors the one with
 * the lower number comes first. A NaN is no distance: a vector that has one is nobody's
 * neighbour. */
#ifndef OUTCORE_KNN_NEAREST_H
#define OUTCORE_KNN_NEAREST_H

#include <stdint.h>

struct neighbour {
    float d2;    /* the square of the distance; INFINITY where there is none */
    uint64_t id; /* the vector's number, 0..; NEAREST_NONE */
};

#define NEAREST_NONE UINT64_MAX

struct nearest {
    int64_t queries, k;
    /* Of each query, the largest d2 that gets into its list: what is compared before
     * the list is touched. */
    float *limit;
    struct neighbour *list; /* of k each: a heap, the worst first, until sorted */
    int64_t nans;           /* distances of the first query that were NaN */
};

/* Local. Bytes that nearest_open allocates. */
int64_t nearest_memory(int64_t queries, int64_t k);

/* Local. Room for lists of so many queries. 0, or -ENOMEM with a sentence. */
int nearest_open(struct nearest *n, int64_t queries, int64_t k);
void nearest_close(struct nearest *n);

/* Local. Empties the lists; from now on they are of so many queries, at most as many
 * as there is room for. */
void nearest_begin(struct nearest *n, int64_t queries);

/* Local. The distances of vectors first, first + 1, ... to a query. For each query the
 * numbers must rise from call to call. */
void nearest_offer(struct nearest *n, int64_t query, const float *d2, int64_t count,
                   uint64_t first);

/* Local. Puts each list in order; until nearest_begin no more can be offered. Where
 * there were fewer than k, entries without a neighbour end it. */
void nearest_sort(struct nearest *n);

/* Local. The first k of two lists in order, into the second one, by way of k entries
 * of room. */
void nearest_merge(const struct neighbour *from, struct neighbour *into, int64_t k,
                   struct neighbour *room);

/* Local. Whether a comes before b. */
static inline int nearest_before(const struct neighbour *a, const struct neighbour *b)
{
    return a->d2 < b->d2 || (a->d2 <= b->d2 && a->id < b->id);
}

#endif
