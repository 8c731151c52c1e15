/* The sequence of a worker's transfers: which block each one transfers, the block's
 * place, whether it is read or written, and how often it was written before. Pure
 * arithmetic: no memory, the same on every rank and thread, so that a reader knows what
 * another rank has written. */
#ifndef BLOCK_ORDER_H
#define BLOCK_ORDER_H

#include "base/draw.h"
#include "layout/layout.h"
#include <stdbool.h>
#include <stdint.h>

enum order_pattern {
    ORDER_SEQUENTIAL,
    ORDER_RANDOM,  /* every block once, in an order that the seed fixes */
    ORDER_UNIFORM, /* any block each time, equally likely */
    ORDER_ZIPF     /* any block each time, some far more likely */
};

/* Extra bytes in a slot. With a random misalignment a block lies anywhere in its
 * slot. It is less than a page, so that neighbours share one; a file grows by it for
 * each block. */
enum { ORDER_ROOM = 512 };

/* Blocks of several sizes: the most sizes, and the most blocks until they recur. */
enum { ORDER_SIZES = 16, ORDER_CYCLE = 1000 };

struct order {
    struct layout layout; /* of all workers' blocks in one file; one matrix */
    int64_t files;        /* files of a worker; consecutive numbers use them in turn */
    int64_t block;        /* bytes of a block; of the largest */
    /* Blocks in a slot of the layout: 1, or with several sizes a cycle. */
    int cycle, sizes;                /* sizes: 0 with one size */
    int64_t size[ORDER_SIZES];       /* bytes */
    unsigned char kind[ORDER_CYCLE]; /* the size of each block of a cycle */
    int64_t at[ORDER_CYCLE];         /* its place in the slot */
    int64_t cycle_bytes;
    bool misaligned; /* each block is shifted by its own offset */
    enum order_pattern pattern;
    int mixed; /* percent of reads in a mixed phase */
    struct zipf zipf;
    uint64_t seed, mixed_key;
};

/* Local. Completes the order from the seed; the caller has set all other members. */
void order_begin(struct order *o, uint64_t seed);

/* Local. The key of the random order of a worker's blocks. */
uint64_t order_key(uint64_t seed, int place);

/* Local. The number of a worker's blocks, and of the transfers in a phase. */
int64_t order_blocks(const struct order *o);

/* Local. True if a phase may transfer a block twice. */
bool order_repeats(const struct order *o);

/* Local. The block, 0 .. order_blocks - 1, that worker `place` transfers as number i;
 * the same in all phases. */
int64_t order_block(const struct order *o, int place, int64_t i);

/* Local. The place of a block: its file among the worker's, and the bytes in it. */
int64_t order_file(const struct order *o, int64_t block);
int order_kind(const struct order *o, int64_t block); /* index of its size */
struct extent order_extent(const struct order *o, int place, int64_t block);

/* Local. True if number i of mixed transfers is a read; the same for all workers. So no
 * worker writes what another reads, unless blocks repeat. */
bool order_reads(const struct order *o, int64_t i);

/* ---- versions -------------------------------------------------------------------- */

/* The past writes of every worker: `laid` if all blocks were laid out (version 1), and
 * the numbers done in the write phase and in the mixed phase. */
struct order_past {
    bool laid;
    int64_t written, mixed;
};

/* Numbers go round: a phase that lasts longer than its blocks begins again at the first
 * one. Local. The first number of number i's block: in the write phase, where numbers
 * of patterns with repeats never go round; and in later phases, which transfer only
 * what was written. */
int64_t order_first(const struct order *o, int64_t i);
int64_t order_again(const struct order *o, const struct order_past *p, int64_t i);

/* Local. The version that number i writes, in the write phase or the mixed one. Without
 * repeats it rises by one in each round of a phase. With repeats the number of the
 * transfer gives it, so that a reader can find out which write it was. */
int order_version(const struct order *o, const struct order_past *p, bool mixed,
                  int64_t i);

/* Local. The least version that a read of number i's block must find, for an i that
 * order_again has returned: that of the last write with this number. Without repeats
 * it is the only right one. With repeats there may be later ones (order_wrote); but
 * the reader also reaches the number of the block's last write, which requires the
 * last version. */
int order_least(const struct order *o, const struct order_past *p, int64_t i);

/* Local. True if worker `place` has written the block with this version. */
bool order_wrote(const struct order *o, const struct order_past *p, int place,
                 int64_t block, int version);

/* ---- content --------------------------------------------------------------------- */

/* Content of blocks: stamped data that can be compressed and deduplicated by the
 * percentages asked for. Without --compress and --dedupe it is incompressible, and no
 * two blocks are alike. */

struct content {
    int compress; /* percent of a block's bytes that compression can remove; 0: none */
    int dedupe;   /* percent of the blocks that are copies of others; 0: none */
};

/* Local. The number whose content worker `place` writes as number i: i itself or, if i
 * is a copy, an earlier number that is no copy. So the first n numbers hold the asked
 * share of copies, for any n. Not for orders that repeat blocks. */
int64_t content_source(const struct content *c, const struct order *o, int place,
                       int64_t i);

/* ---- blocks dealt to workers ----------------------------------------------------- */

/* Deals existing blocks to workers, when a different number of workers made the files.
 * Pure arithmetic: no memory. */

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
