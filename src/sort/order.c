#include "sort/order.h"

int sort_compare_from(const struct sort_order *o, const void *a, const void *b, int k)
{
    for (int words = sort_words(o); k < words; k++) {
        uint64_t x = sort_word(o, a, k), y = sort_word(o, b, k);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

int sort_compare(const struct sort_order *o, const void *a, const void *b)
{
    return sort_compare_from(o, a, b, 0);
}

/* ---- the index ------------------------------------------------------------------- */

struct indexed {
    const struct sort_order *order;
    const char *records;
    int last; /* the last word, which is the place */
};

static inline const char *order_record_of(const struct indexed *x,
                                          const struct sort_entry *e)
{
    return x->records + e->place * x->order->bytes;
}

static inline uint64_t entry_word(const void *context, const struct sort_entry *e,
                                  int k)
{
    const struct indexed *x = context;
    if (k == 0)
        return e->prefix;
    return k >= x->last ? (uint64_t)e->place
                        : sort_word(x->order, order_record_of(x, e), k);
}

static inline bool entry_before(const void *context, const struct sort_entry *a,
                                const struct sort_entry *b)
{
    const struct indexed *x = context;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    int differ =
        sort_compare_from(x->order, order_record_of(x, a), order_record_of(x, b), 1);
    return differ ? differ < 0 : a->place < b->place;
}

#define RADIX(name) entries_##name
#define RADIX_TYPE struct sort_entry
#define RADIX_WORD(c, p, k) entry_word(c, p, k)
#define RADIX_BEFORE(c, p, q) entry_before(c, p, q)
#include "sort/radix.h"

/* Entries are made in the buckets of their prefixes' highest bits, and each bucket is
 * then sorted in the nearest cache. Measured: this takes half of the time of making
 * entries in a row and sorting them all at once. */
enum { KEYS_AHEAD = 48, BUCKET = 128, BUCKETS = 1 << 12, SAMPLES = 256 };

struct spread {
    uint64_t least; /* the least prefix */
    int shift, buckets;
    int64_t end[BUCKETS];
};

static inline int64_t bucket_of(const struct spread *d, uint64_t prefix)
{
    if (prefix < d->least)
        return 0;
    uint64_t bucket = (prefix - d->least) >> d->shift;
    return bucket < (uint64_t)d->buckets ? (int64_t)bucket : d->buckets - 1;
}

static inline uint64_t prefix_of(const struct indexed *x, int64_t i)
{
    return sort_word(x->order, x->records + i * x->order->bytes, 0);
}

/* Returns the prefix of record i and prefetches a later one; n is the number of
 * records. */
static inline uint64_t next_prefix(const struct indexed *x, int64_t i, int64_t n)
{
    if (i + KEYS_AHEAD < n)
        __builtin_prefetch(x->records + (i + KEYS_AHEAD) * x->order->bytes +
                           x->order->key_at);
    return prefix_of(x, i);
}

/* Chooses buckets between the least and the greatest of some prefixes; others go to the
 * first or the last bucket. */
static void choose_buckets(struct spread *d, const struct indexed *x, int64_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    int64_t wanted = n / BUCKET < BUCKETS ? n / BUCKET : BUCKETS;
    for (int64_t i = 0; i < SAMPLES; i++) {
        uint64_t prefix = prefix_of(x, n / SAMPLES * i);
        least = prefix < least ? prefix : least;
        most = prefix > most ? prefix : most;
    }
    d->least = least;
    d->shift = 0;
    while ((most - least) >> d->shift >= (uint64_t)wanted)
        d->shift++;
    d->buckets = (int)((most - least) >> d->shift) + 1;
}

static void spread_entries(struct spread *d, const struct indexed *x, int64_t n,
                           struct sort_entry *e)
{
    int64_t sum = 0;
    memset(d->end, 0, (size_t)d->buckets * sizeof d->end[0]);
    for (int64_t i = 0; i < n; i++)
        d->end[bucket_of(d, next_prefix(x, i, n))]++;
    for (int b = 0; b < d->buckets; b++) {
        int64_t count = d->end[b];
        d->end[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t prefix = next_prefix(x, i, n);
        e[d->end[bucket_of(d, prefix)]++] = (struct sort_entry){prefix, i};
    }
}

void sort_index(const struct sort_order *o, const void *records, int64_t n,
                struct sort_entry *e)
{
    struct indexed x = {.order = o, .records = records, .last = sort_words(o)};
    struct spread d = {.buckets = 1};
    if (n >= BUCKET * SAMPLES)
        choose_buckets(&d, &x, n);
    else
        d.shift = 63;
    spread_entries(&d, &x, n, e);
    for (int b = 0; b < d.buckets; b++) {
        int64_t first = b ? d.end[b - 1] : 0;
        entries_sort(e + first, d.end[b] - first, 0, &x);
    }
}

#define AHEAD 16 /* records; measured: it copies three quarters more in a second */

static inline void prefetch_record(const char *record, int64_t bytes)
{
    __builtin_prefetch(record);
    __builtin_prefetch(record + bytes - 1);
    if (bytes > 64)
        __builtin_prefetch(record + 64);
}

void sort_gather(const struct sort_order *o, const void *records,
                 const struct sort_entry *e, int64_t n, int64_t left, void *to)
{
    const char *from = records;
    char *out = to;
    for (int64_t i = 0; i < n; i++, out += o->bytes) {
        if (i + AHEAD < left)
            prefetch_record(from + e[i + AHEAD].place * o->bytes, o->bytes);
        memcpy(out, from + e[i].place * o->bytes, (size_t)o->bytes);
    }
}
