#include "block/order.h"
#include "base/rng.h"

/* ---- versions -------------------------------------------------------------------- */

void order_begin(struct order *o, uint64_t seed)
{
    o->seed = seed;
    o->mixed_key = rng_key(seed, RNG_MIXED);
}

uint64_t order_key(uint64_t seed, int place)
{
    return seed * 8191 + (uint64_t)place;
}

static int64_t blocks_of_file(const struct order *o)
{
    return o->layout.blks * o->cycle;
}

int64_t order_blocks(const struct order *o)
{
    return blocks_of_file(o) * o->files;
}

bool order_repeats(const struct order *o)
{
    return o->pattern >= ORDER_UNIFORM;
}

/* The key of each file of each worker. That of the first file is the same as with one
 * file only. */
static uint64_t key_of(const struct order *o, int place, int64_t file)
{
    uint64_t key = order_key(o->seed, place);
    return file ? rng_mix(key ^ (uint64_t)file * RNG_STEP) : key;
}

/* Scatters popular blocks, so that they are neighbours only by chance. */
static int64_t spread(const struct order *o, int64_t k, uint64_t key)
{
    return shuffle(k, blocks_of_file(o), ~key);
}

/* The block that number i of a file transfers. */
static int64_t order_block_of(const struct order *o, int64_t i, uint64_t key)
{
    switch (o->pattern) {
    case ORDER_SEQUENTIAL:
        break;
    case ORDER_RANDOM:
        return shuffle(i, blocks_of_file(o), key);
    case ORDER_UNIFORM:
        return (int64_t)rng_below(key, (uint64_t)i, (uint64_t)blocks_of_file(o));
    case ORDER_ZIPF:
        return spread(o, zipf_at(&o->zipf, key, (uint64_t)i) - 1, key);
    }
    return i;
}

int64_t order_block(const struct order *o, int place, int64_t i)
{
    if (o->files == 1)
        return order_block_of(o, i, key_of(o, place, 0));
    int64_t file = i % o->files;
    return order_block_of(o, i / o->files, key_of(o, place, file)) * o->files + file;
}

int64_t order_file(const struct order *o, int64_t block)
{
    return o->files == 1 ? 0 : block % o->files;
}

/* The block's shift within its slot: always odd, so never aligned. */
static int64_t shift_of(const struct order *o, const struct extent *slot)
{
    uint64_t place = (uint64_t)slot->file * RNG_STEP + (uint64_t)slot->offset;
    return (int64_t)rng_below(~o->mixed_key, place, ORDER_ROOM / 2) * 2 +
           !(slot->offset % 2);
}

int order_kind(const struct order *o, int64_t block)
{
    return o->kind[block / o->files % o->cycle];
}

/* The place of a block of several sizes within its file. */
static struct extent extent_of_size(const struct order *o, int place, int64_t block)
{
    int64_t i = block % o->cycle;
    struct extent e = layout_at(&o->layout, place, 0, block / o->cycle);
    e.offset += o->at[i];
    e.bytes = o->size[o->kind[i]];
    return e;
}

struct extent order_extent(const struct order *o, int place, int64_t block)
{
    int64_t in_file = o->files == 1 ? block : block / o->files;
    if (o->sizes)
        return extent_of_size(o, place, in_file);
    struct extent e = layout_at(&o->layout, place, 0, in_file);
    if (o->misaligned)
        e.offset += shift_of(o, &e);
    e.bytes = o->block;
    return e;
}

bool order_reads(const struct order *o, int64_t i)
{
    return rng_below(o->mixed_key, (uint64_t)i, 100) < (uint64_t)o->mixed;
}

/* ---- versions -------------------------------------------------------------------- */

/* The distinct numbers that the write phase has written. */
static int64_t period_of(const struct order *o, const struct order_past *p)
{
    int64_t n = order_blocks(o);
    return order_repeats(o) || p->written < n ? p->written : n;
}

/* Dividing takes as long as a tenth of a small transfer. */
static int64_t go_round(int64_t i, int64_t period)
{
    return i < period ? i : i % period;
}

int64_t order_first(const struct order *o, int64_t i)
{
    return order_repeats(o) ? i : go_round(i, order_blocks(o));
}

int64_t order_again(const struct order *o, const struct order_past *p, int64_t i)
{
    return go_round(i, period_of(o, p));
}

int order_version(const struct order *o, const struct order_past *p, bool mixed,
                  int64_t i)
{
    int64_t n = order_blocks(o), first = 1 + p->laid;
    if (order_repeats(o))
        return (int)(first + i + (mixed ? p->written : 0));
    if (!mixed)
        return (int)(first + i / n);
    return (int)(first + (p->written + n - 1) / n + i / period_of(o, p));
}

/* The last number below `end` that goes round to i; negative: there is none. */
static int64_t last_of(int64_t i, int64_t end, int64_t period)
{
    return i < end ? end - 1 - (end - 1 - i) % period : -1;
}

int order_least(const struct order *o, const struct order_past *p, int64_t i)
{
    int64_t period = period_of(o, p);
    int64_t m = o->mixed < 100 ? last_of(i, p->mixed, period) : -1;
    while (m >= 0 && order_reads(o, m))
        m -= period;
    if (m >= 0)
        return order_version(o, p, true, m);
    return order_version(o, p, false, last_of(i, p->written, period));
}

bool order_wrote(const struct order *o, const struct order_past *p, int place,
                 int64_t block, int version)
{
    int64_t i = version - 1 - p->laid;
    if (i >= p->written) {
        i -= p->written;
        if (i >= p->mixed || order_reads(o, i))
            return false;
    }
    return i >= 0 && order_block(o, place, order_again(o, p, i)) == block;
}

/* ---- content --------------------------------------------------------------------- */

enum { GROUP = 100, TRIES = 64 };

static uint64_t content_key_of(const struct order *o, int place)
{
    return rng_mix(~o->mixed_key + (uint64_t)place);
}

/* True for `dedupe` of every GROUP numbers. */
static bool is_copy(const struct content *c, uint64_t key, int64_t i)
{
    return i && shuffle(i % GROUP, GROUP, key + (uint64_t)(i / GROUP)) < c->dedupe;
}

int64_t content_source(const struct content *c, const struct order *o, int place,
                       int64_t i)
{
    if (!c->dedupe)
        return i;
    uint64_t key = content_key_of(o, place);
    if (!is_copy(c, key, i))
        return i;
    for (uint64_t t = 0; t < TRIES; t++) {
        int64_t of = (int64_t)rng_below(rng_at(key, (uint64_t)i), t, (uint64_t)i);
        if (!is_copy(c, key, of))
            return of;
    }
    return 0;
}

/* ---- blocks dealt to workers ----------------------------------------------------- */

int64_t deal_count(const struct deal *d, int worker)
{
    return d->blocks / d->workers + (worker < d->blocks % d->workers);
}

int64_t deal_block(const struct deal *d, int worker, int64_t i)
{
    int64_t each = d->blocks / d->workers, rest = d->blocks % d->workers;
    if (d->interleaved)
        return i * d->workers + worker;
    return worker * each + (worker < rest ? worker : rest) + i;
}
