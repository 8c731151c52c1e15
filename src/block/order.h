/* Which block comes at number i, and where it is. Pure arithmetic: no memory, the same
 * on every rank and thread. */
#ifndef BLOCK_ORDER_H
#define BLOCK_ORDER_H

#include "layout/layout.h"
#include <stdbool.h>

struct order {
    struct layout layout; /* of all workers' blocks; one matrix */
    bool random;          /* every block once, in an order that the seed fixes */
    uint64_t seed;
};

/* Local. The block that worker `place` has as number i; the same in all phases. */
int64_t order_block(const struct order *o, int place, int64_t i);

/* Local. Where it is. */
struct extent order_extent(const struct order *o, int place, int64_t block);

#endif
