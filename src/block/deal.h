/* Deals existing blocks to workers, when a different number of workers made the files.
 * Pure arithmetic: no memory. */
#ifndef BLOCK_DEAL_H
#define BLOCK_DEAL_H

#include <stdbool.h>
#include <stdint.h>

struct deal {
    int64_t blocks;   /* in the order of their places in the files */
    int workers;      /* at least 1 */
    bool interleaved; /* each worker gets every workers-th block; else
                       * consecutive ones */
};

/* Local. The number of a worker's blocks. Workers share out every block once, and their
 * numbers differ by one at most. */
int64_t deal_count(const struct deal *d, int worker);

/* Local. The worker's i-th block. */
int64_t deal_block(const struct deal *d, int worker, int64_t i);

#endif
