/* Distances of many vectors to a few queries, all of them at once: the vectors stream
 * through once, and what the processor's registers hold is used for several queries.
 *
 * Some vectors, two registers full, are turned so that a register holds one component
 * of all of them; a block of queries is then compared with them, a sum in a register
 * for each pair. Each sum is made of the components in their order (in parts of
 * KERNEL_PART), whatever vectors stand beside it: so the distance of a vector and a
 * query is the same in any run on the same kind of processor. */
#ifndef OUTCORE_KNN_KERNEL_H
#define OUTCORE_KNN_KERNEL_H

#include "outcore/knn/nearest.h"
#include <stdbool.h>
#include <stdint.h>

/* Components whose squares are summed up before that goes into the sum of all: the
 * error of long sums in float32 stays small. */
#define KERNEL_PART 256

struct kernel_rows { /* vectors in memory */
    const void *at;  /* the first component of the first one; of any alignment */
    int64_t n;
    int64_t stride; /* bytes from one to the next */
    uint64_t first; /* the number of the first one */
};

struct kernel_queries {
    int64_t n, dim;
    float *packed; /* block by block, component by component of all of the block */
};

struct kernel {
    const char *name; /* the instructions that it is made of */
    bool (*usable)(void);
    int block; /* queries at once, a power of 2 */
    int rows;  /* vectors at once */
    void (*scan)(const struct kernel_rows *rows, const struct kernel_queries *q,
                 struct nearest *to, float *room);
};

extern const struct kernel kernel_avx512, kernel_avx2, kernel_plain;

/* Local. Number i, the best ones first; NULL: there are no more. The last one is usable
 * everywhere. */
const struct kernel *kernel_number(int i);

/* Local. The best that this processor can use. */
const struct kernel *kernel_best(void);

/* Local. Bytes of the room that scans need, and of packed queries. */
int64_t kernel_room(const struct kernel *k, int64_t dim);
int64_t kernel_memory(int64_t queries, int64_t dim);

/* Local. n queries of dim components, one after the other, as kernel k wants them, into
 * q->packed: kernel_memory bytes. */
void kernel_pack(const struct kernel *k, const float *from, struct kernel_queries *q);

/* k->scan: Local. Offers the distances of all rows to all queries that may get into
 * their lists. room: kernel_room bytes, aligned to 64. */

/* Local. The same distance in float64. */
double kernel_exact(const void *row, const float *query, int64_t dim);

#endif
