/* Content of blocks: stamped data that can be compressed and deduplicated by the
 * percentages asked for. Without --compress and --dedupe it is incompressible, and no
 * two blocks are alike. */
#ifndef BLOCK_CONTENT_H
#define BLOCK_CONTENT_H

#include "block/order.h"

struct content {
    int compress; /* percent of a block's bytes that compression can remove; 0: none */
    int dedupe;   /* percent of the blocks that are copies of others; 0: none */
};

/* Local. The number whose content worker `place` writes as number i: i itself or, if i
 * is a copy, an earlier number that is no copy. So the first n numbers hold the asked
 * share of copies, for any n. Not for orders that repeat blocks. */
int64_t content_source(const struct content *c, const struct order *o, int place,
                       int64_t i);

#endif
