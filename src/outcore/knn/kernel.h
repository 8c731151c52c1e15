/* Distances of many vectors to a few queries, computed together: the vectors stream
 * through once, and the content of the processor's registers is used for several
 * queries.
 *
 * Some vectors, two registers full, are transposed so that a register holds one
 * component of all of them; a block of queries is then compared with them, with a sum
 * in a register for each pair. Each sum adds the components in their order (in parts of
 * KERNEL_PART), whatever vectors are beside it: so the distance of a vector and a query
 * is the same in any run on the same kind of processor. */
#ifndef OUTCORE_KNN_KERNEL_H
#define OUTCORE_KNN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* ---- lists ----------------------------------------------------------------------- */

/* The k nearest vectors of each query: lists of the best so far, and their merge. The
 * order is by (distance, number): of equally near vectors the one with the lower number
 * comes first. A NaN is no distance: a vector with one is never a neighbour. */

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

/* ---- kernels --------------------------------------------------------------------- */

/* Components whose squares are summed separately before they are added to the total:
 * this keeps the error of long float32 sums small. */
#define KERNEL_PART 256

struct kernel_rows { /* vectors in memory */
    const void *at;  /* the first component of the first one; of any alignment */
    int64_t n;
    int64_t stride; /* bytes from one to the next */
    uint64_t first; /* the number of the first one */
};

struct kernel_queries {
    int64_t n, dim;
    float *packed; /* block by block; in a block, component by component of all
                    * its queries */
};

struct kernel {
    const char *name; /* its instruction set */
    bool (*usable)(void);
    int block; /* queries at a time, a power of 2 */
    int rows;  /* vectors at a time */
    void (*scan)(const struct kernel_rows *rows, const struct kernel_queries *q,
                 struct nearest *to, float *room);
};

extern const struct kernel kernel_avx512, kernel_avx2, kernel_plain;

/* Local. Kernel number i, the best ones first; NULL: there are no more. The last one is
 * usable on any processor. */
const struct kernel *kernel_number(int i);

/* Local. The best kernel that this processor can use. */
const struct kernel *kernel_best(void);

/* Local. The bytes of room that scans need, and of packed queries. */
int64_t kernel_room(const struct kernel *k, int64_t dim);
int64_t kernel_memory(int64_t queries, int64_t dim);

/* Local. Packs n queries of dim components, one after the other, for kernel k into
 * q->packed: kernel_memory bytes. */
void kernel_pack(const struct kernel *k, const float *from, struct kernel_queries *q);

/* k->scan: Local. Offers the distances of all rows to those queries whose lists they
 * may enter. room: kernel_room bytes, aligned to 64. */

/* Local. The distance in float64. */
double kernel_exact(const void *row, const float *query, int64_t dim);

#endif
