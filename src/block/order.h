/* Which block comes at number i, where it is, whether it is read or written, and how
 * often it was written before. Pure arithmetic: no memory, the same on every rank and
 * thread, so that whoever reads knows what somebody else has written. */
#ifndef BLOCK_ORDER_H
#define BLOCK_ORDER_H

#include "base/draw/zipf.h"
#include "layout/layout.h"
#include <stdbool.h>

enum order_pattern {
    ORDER_SEQUENTIAL,
    ORDER_RANDOM,  /* every block once, in an order that the seed fixes */
    ORDER_UNIFORM, /* any block each time, all alike */
    ORDER_ZIPF     /* ... some far more often than others */
};

/* With a random misalignment a block is anywhere in a slot with so much more room. Less
 * than a page, so that neighbours share one; a file grows by it for each block. */
enum { ORDER_ROOM = 512 };

struct order {
    struct layout layout; /* of all workers' blocks in one file; one matrix */
    int64_t files;        /* of a worker: its numbers take them in turn */
    int64_t block;        /* bytes of one */
    bool misaligned;      /* each by an offset of its own */
    enum order_pattern pattern;
    int mixed; /* percent of reads where they are mixed */
    struct zipf zipf;
    uint64_t seed, mixed_key;
};

/* Local. All but the seed and what follows from it is set before; this does the
 * rest. */
void order_begin(struct order *o, uint64_t seed);

/* Local. Of the random order of a worker's blocks. */
uint64_t order_key(uint64_t seed, int place);

/* Local. Blocks of a worker: so many numbers make a phase. */
int64_t order_blocks(const struct order *o);

/* Local. Whether a phase may come to a block twice. */
bool order_repeats(const struct order *o);

/* Local. The block, 0 .. order_blocks - 1, that worker `place` has as number i; the
 * same in all phases. */
int64_t order_block(const struct order *o, int place, int64_t i);

/* Local. Where a block is: its file, of the worker's, and the bytes. */
int64_t order_file(const struct order *o, int64_t block);
struct extent order_extent(const struct order *o, int place, int64_t block);

/* Local. Whether number i of mixed transfers is a read; the same for all workers. So
 * what one reads no other writes, unless blocks repeat. */
bool order_reads(const struct order *o, int64_t i);

/* ---- versions -------------------------------------------------------------------- */

/* What every worker has written: whether all of its blocks were laid out (version 1),
 * how many numbers of the phase that writes are done, and of the mixed one. */
struct order_past {
    bool laid;
    int64_t written, mixed;
};

/* Local. The version that number i writes, in the phase that writes or the mixed one.
 * Without repeats every write of a block is one more; with them the number of the
 * transfer tells it, so that a reader can find out which one it was. */
int order_version(const struct order *o, const struct order_past *p, bool mixed,
                  int64_t i);

/* Local. The least version that a read of number i's block must find. Without repeats
 * it is the only one. With them there may be later ones (order_wrote); but the reader
 * comes to the number of the last write of each block, too, and that one asks for no
 * less than the last. */
int order_least(const struct order *o, const struct order_past *p, int64_t i);

/* Local. Whether worker `place` has written the block as this version. */
bool order_wrote(const struct order *o, const struct order_past *p, int place,
                 int64_t block, int version);

#endif
