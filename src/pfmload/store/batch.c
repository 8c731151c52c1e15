#include "pfmload/store/batch.h"
#include "base/buf.h"
#include <stddef.h>
#include <string.h>

/* ---- the soundings of some bins -------------------------------------------------- */

/* The most soundings that are sorted by 64-bit numbers: the key, in as few bits as its
 * varying parts need, and the index in the array. */
enum { SMALL = 512, PLACE_BITS = 9, DIGIT_BITS = 8, INSERT = 24, PARTS = 4 };

struct packing {
    uint64_t least[PARTS];
    int bits[PARTS], all; /* bits of the key */
};

static void batch_parts(const struct pfm_sounding *s, uint64_t part[PARTS])
{
    part[0] = (uint64_t)s->bin;
    part[1] = s->file;
    part[2] = s->ping;
    part[3] = s->beam;
}

static bool packing_find(struct packing *p, const struct pfm_sounding *a, int64_t n)
{
    uint64_t most[PARTS], part[PARTS];
    batch_parts(&a[0], p->least);
    batch_parts(&a[0], most);
    for (int64_t i = 1; i < n; i++) {
        batch_parts(&a[i], part);
        for (int k = 0; k < PARTS; k++) {
            p->least[k] = part[k] < p->least[k] ? part[k] : p->least[k];
            most[k] = part[k] > most[k] ? part[k] : most[k];
        }
    }
    p->all = 0;
    for (int k = 0; k < PARTS; k++) {
        uint64_t range = most[k] - p->least[k];
        p->bits[k] = range ? 64 - __builtin_clzll(range) : 0;
        p->all += p->bits[k];
    }
    return p->all + PLACE_BITS <= 64;
}

/* Packs keys. Returns true if they are in order, and no two are equal. */
static bool batch_pack(const struct packing *p, const struct pfm_sounding *a, int64_t n,
                       uint64_t *key)
{
    bool sorted = true;
    uint64_t part[PARTS], before = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = 0;
        batch_parts(&a[i], part);
        for (int k = 0; k < PARTS; k++)
            x = x << p->bits[k] | (part[k] - p->least[k]);
        sorted = sorted && (!i || x > before);
        before = x;
        key[i] = x << PLACE_BITS | (uint64_t)i;
    }
    return sorted;
}

static void sort_by_digit(const uint64_t *from, int64_t n, int shift, int bits,
                          uint64_t *to)
{
    uint16_t start[1 << DIGIT_BITS] = {0}, sum = 0;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (int64_t i = 0; i < n; i++)
        start[from[i] >> shift & mask]++;
    for (uint64_t d = 0; d <= mask; d++) {
        uint16_t count = start[d];
        start[d] = sum;
        sum = (uint16_t)(sum + count);
    }
    for (int64_t i = 0; i < n; i++)
        to[start[from[i] >> shift & mask]++] = from[i];
}

/* Sorts the keys by digits. Returns the array that has the result. */
static const uint64_t *sort_keys(uint64_t *key, uint64_t *other, int64_t n, int bits)
{
    int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    for (int i = 0, done = 0; i < passes; i++) {
        int width = (bits - done + passes - i - 1) / (passes - i);
        sort_by_digit(key, n, PLACE_BITS + done, width, other);
        uint64_t *swap = key;
        key = other;
        other = swap;
        done += width;
    }
    return key;
}

static bool has_equal(const uint64_t *key, int64_t n)
{
    bool equal = false;
    for (int64_t i = 1; i < n; i++)
        equal = equal || key[i] >> PLACE_BITS == key[i - 1] >> PLACE_BITS;
    return equal;
}

/* Sorts a few soundings by keys, twice as fast as in place. Returns false if two have
 * the same key, as other members then decide. */
static bool batch_small(struct pfm_sounding *a, int64_t n)
{
    uint64_t key[2][SMALL];
    struct pfm_sounding copy[SMALL];
    struct packing p;
    if (n <= INSERT || n > SMALL || !packing_find(&p, a, n))
        return false;
    if (batch_pack(&p, a, n, key[0]))
        return true;
    const uint64_t *sorted = sort_keys(key[0], key[1], n, p.all);
    if (has_equal(sorted, n))
        return false;
    memcpy(copy, a, (size_t)n * sizeof *a);
    for (int64_t i = 0; i < n; i++)
        a[i] = copy[sorted[i] & ((1 << PLACE_BITS) - 1)];
    return true;
}

/* ---- all ------------------------------------------------------------------------- */

#define RADIX(name) soundings_##name
#define RADIX_TYPE struct pfm_sounding
#define RADIX_WORD(c, p, k) batch_word(p, k)
#define RADIX_BEFORE(c, p, q) batch_before(p, q)
#define RADIX_SMALL(c, a, n) batch_small(a, n)
#include "sort/radix.h"

/* True if sorted, as the soundings of a bin are when they come in a survey's order. */
static bool is_sorted(const struct pfm_sounding *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (batch_before(&a[i], &a[i - 1]))
            return false;
    return true;
}

void batch_sort_row(struct pfm_sounding *a, int64_t n)
{
    if (!is_sorted(a, n))
        soundings_sort(a, n, 0, NULL);
}

/* ---- the batch ------------------------------------------------------------------ */

int batch_open(struct batch *b, int64_t bytes)
{
    int64_t one = sizeof *b->sounding;
    void *room = NULL;
    *b = (struct batch){.capacity = bytes < one ? 1 : bytes / one};
    int rc = buf_reserve(&room, b->capacity * one, "a batch of soundings");
    b->sounding = room;
    return rc;
}

int64_t batch_add(struct batch *b, const struct pfm_sounding *s, int64_t n)
{
    int64_t room = b->capacity - b->n, some = n < room ? n : room;
    memcpy(b->sounding + b->n, s, (size_t)some * sizeof *s);
    b->n += some;
    return some;
}

void batch_sort(struct batch *b)
{
    soundings_sort(b->sounding, b->n, 0, NULL);
}

int64_t batch_bin_end(const struct batch *b, int64_t i)
{
    int64_t bin = b->sounding[i].bin;
    while (i < b->n && b->sounding[i].bin == bin)
        i++;
    return i;
}

void batch_close(struct batch *b)
{
    buf_free(b->sounding);
    b->sounding = NULL;
}

/* ---- sorted soundings ------------------------------------------------------------ */

static void sounding_words(const void *sounding, int k, uint64_t two[2])
{
    two[0] = k ? batch_word(sounding, k) : batch_word(sounding, 0);
    two[1] = k ? batch_word(sounding, k + 1) : batch_word(sounding, 1);
}

static void sort_soundings(void *soundings, int64_t n)
{
    batch_sort_row(soundings, n);
}

static void packet_words(const void *packet, int k, uint64_t two[2])
{
    (void)k;
    memcpy(&two[0], packet, sizeof two[0]);
    two[1] = 0;
}

static int open_sorter(struct extsort **s, const struct extsort_how *how,
                       const struct sorted_io *io)
{
    int rc = extsort_open(s, io->run, how, -1);
    return rc ? rc : extsort_begin(*s, -1);
}

int sorted_soundings(struct extsort **s, int64_t memory_bytes, const char *scratch,
                     const struct sorted_io *io)
{
    const struct extsort_how how = {
        .order = {.kind = SORT_OWN,
                  .bytes = sizeof(struct pfm_sounding),
                  .key_bytes = BATCH_WORDS * 8,
                  .words = sounding_words,
                  .sort = sort_soundings},
        .lanes = 1,
        .merge_lanes = 1,
        .memory_bytes = memory_bytes,
        .groups = true,
        .scratch = scratch,
        .what = "soundings",
        .queue = io->queue,
    };
    return open_sorter(s, &how, io);
}

int sorted_packets(struct extsort **s, int64_t packet_bytes, int64_t memory_bytes,
                   const char *scratch, const struct sorted_io *io)
{
    const struct extsort_how how = {
        .order = {.kind = SORT_OWN,
                  .bytes = packet_bytes,
                  .key_bytes = 8,
                  .words = packet_words},
        .lanes = 1,
        .merge_lanes = 1,
        .memory_bytes = memory_bytes,
        .scratch = scratch,
        .what = "soundings",
        .queue = io->queue,
    };
    return open_sorter(s, &how, io);
}
