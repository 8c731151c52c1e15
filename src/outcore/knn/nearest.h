/* The k nearest vectors of each query: lists of the best so far, and their merge. The
 * order is by (distance, number): of equally near vectors the one with the lower number
 * comes first. A NaN is no distance: a vector with one is never a neighbour. */
#ifndef OUTCORE_KNN_NEAREST_H
#define OUTCORE_KNN_NEAREST_H

#include <stdint.h>

struct neighbour {
    float d2;    /* the square of the distance; INFINITY if there is none */
    uint64_t id; /* the vector's number, 0..; NEAREST_NONE */
};

#define NEAREST_NONE UINT64_MAX

struct nearest {
    int64_t queries, k;
    /* For each query, the largest d2 that enters its list; it is compared before the
     * list is touched. */
    float *limit;
    struct neighbour *list; /* k entries each: a heap, the worst first, until sorted */
    int64_t nans;           /* number of NaN distances to the first query */
};

/* Local. Bytes that nearest_open allocates. */
int64_t nearest_memory(int64_t queries, int64_t k);

/* Local. Makes room for lists of `queries` queries. Returns 0, or -ENOMEM with
 * a sentence. */
int nearest_open(struct nearest *n, int64_t queries, int64_t k);
void nearest_close(struct nearest *n);

/* Local. Empties the lists, and sets the number of queries, at most that
 * of nearest_open. */
void nearest_begin(struct nearest *n, int64_t queries);

/* Local. Offers the distances of vectors first, first + 1, ... to a query. For each
 * query the numbers must rise from call to call. */
void nearest_offer(struct nearest *n, int64_t query, const float *d2, int64_t count,
                   uint64_t first);

/* Local. Sorts each list; until nearest_begin nothing more can be offered. A list of
 * fewer than k ends with entries without a neighbour. */
void nearest_sort(struct nearest *n);

/* Local. Merges the first k of two sorted lists into the second one, using room for
 * k entries. */
void nearest_merge(const struct neighbour *from, struct neighbour *into, int64_t k,
                   struct neighbour *room);

/* Local. True if a comes before b. */
static inline int nearest_before(const struct neighbour *a, const struct neighbour *b)
{
    return a->d2 < b->d2 || (a->d2 <= b->d2 && a->id < b->id);
}

#endif
