/* What is in a block: stamped data, of which storage can make as much as it was asked
 * to. Without --compress and --dedupe it compresses to nothing less, and no two blocks
 * are alike. */
#ifndef BLOCK_CONTENT_H
#define BLOCK_CONTENT_H

#include "block/order.h"

struct content {
    int compress; /* percent of the bytes that compression finds; 0: none */
    int dedupe;   /* percent of the blocks that are copies of others; 0: none */
};

/* Local. Worker `place` writes as number i what it wrote as this number: i itself, or,
 * of a copy, an earlier one that is none. So of any first numbers as many are copies.
 * Not where blocks repeat. */
int64_t content_source(const struct content *c, const struct order *o, int place,
                       int64_t i);

#endif
