/* How the blocks that are there are dealt to workers: those of a file that others made,
 * by another number of workers. Pure arithmetic: no memory. */
#ifndef BLOCK_DEAL_H
#define BLOCK_DEAL_H

#include <stdbool.h>
#include <stdint.h>

struct deal {
    int64_t blocks;   /* in the order in which they stand in the files */
    int workers;      /* at least 1 */
    bool interleaved; /* each gets every workers-th; else some in a row */
};

/* Local. How many a worker gets: all workers together each block once, and none gets
 * two more than another. */
int64_t deal_count(const struct deal *d, int worker);

/* Local. Its i-th one. */
int64_t deal_block(const struct deal *d, int worker, int64_t i);

#endif
