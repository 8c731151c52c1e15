#include "outcore/ngram/classifier.h"
#include "base/rng.h"
#include "outcore/ngram/rank.h"
#include <endian.h>
#include <string.h>

enum {
    SLICE = 16,
    SLICES = 4
}; /* bits of a hash, and the number of hashes in a 64-bit number */

/* ---- tables ---------------------------------------------------------------------- */

/* The bytes of a mask: few languages make a small table, which stays in the caches. */
static int mask_bytes(int languages)
{
    return languages <= 16 ? 2 : languages <= 32 ? 4 : 8;
}

int64_t classifier_memory(const struct languages *m, const struct classifier_how *how)
{
    int bytes = mask_bytes(m->languages);
    if (how->method == METHOD_RANK)
        return rank_memory(m, how->ranks);
    return bytes * (how->method == METHOD_TABLE ? grams_all(m->n)
                                                : how->hashes * how->bloom_bits);
}

static inline uint64_t hashes_of(uint32_t gram, int group)
{
    return rng_mix(gram + (uint64_t)(group + 1) * RNG_STEP);
}

/* The bit of a gram by hash function j. */
static int64_t bloom_at(const struct classifier *c, int j, uint32_t gram)
{
    uint64_t x = hashes_of(gram, j / SLICES) >> SLICE * (j % SLICES);
    return j * c->how.bloom_bits + (int64_t)(x & (uint64_t)(c->how.bloom_bits - 1));
}

static void set_bit(const struct classifier *c, int64_t at, int l)
{
    uint64_t bit = UINT64_C(1) << l;
    if (c->bytes == 2)
        ((uint16_t *)c->memory)[at] |= (uint16_t)bit;
    else if (c->bytes == 4)
        ((uint32_t *)c->memory)[at] |= (uint32_t)bit;
    else
        ((uint64_t *)c->memory)[at] |= bit;
}

static uint64_t mask_at(const struct classifier *c, int64_t at)
{
    return c->bytes == 2   ? ((const uint16_t *)c->memory)[at]
           : c->bytes == 4 ? ((const uint32_t *)c->memory)[at]
                           : ((const uint64_t *)c->memory)[at];
}

static void fill_masks(const struct classifier *c, const struct languages *m)
{
    for (int l = 0; l < m->languages; l++)
        for (int64_t i = m->first[l]; i < m->first[l + 1]; i++) {
            uint32_t gram = m->gram[i].gram;
            if (c->how.method == METHOD_TABLE)
                set_bit(c, gram, l);
            for (int j = 0; j < c->how.hashes && c->how.method == METHOD_BLOOM; j++)
                set_bit(c, bloom_at(c, j, gram), l);
        }
}

void classifier_make(struct classifier *c, const struct languages *m,
                     const struct classifier_how *how, void *memory, bool fill)
{
    *c = (struct classifier){.how = *how,
                             .n = m->n,
                             .languages = m->languages,
                             .bytes = mask_bytes(m->languages),
                             .memory = memory};
    if (fill && how->method == METHOD_RANK)
        rank_fill(m, how->ranks, memory);
    else if (fill)
        fill_masks(c, m);
}

bool classifier_has(const struct classifier *c, int l, uint32_t gram)
{
    uint64_t mask = ~UINT64_C(0);
    if (c->how.method == METHOD_TABLE)
        mask = mask_at(c, gram);
    for (int j = 0; j < c->how.hashes && c->how.method == METHOD_BLOOM; j++)
        mask &= mask_at(c, bloom_at(c, j, gram));
    return mask >> l & 1;
}

/* ---- masks of grams -------------------------------------------------------------- */

/* Packs eight codes in 40 bits, the first one in the highest. */
static inline uint64_t pack_8(const uint8_t *code)
{
    const uint64_t bytes = UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t pairs = UINT64_C(0x0000ffff0000ffff), fours = UINT64_C(0xffffffff);
    uint64_t x;
    memcpy(&x, code, sizeof x);
    x = le64toh(x);
    x = (x & bytes) << 5 | (x >> 8 & bytes);
    x = (x & pairs) << 10 | (x >> 16 & pairs);
    return (x & fours) << 20 | x >> 32;
}

/* The codes before the last one of the first gram. */
static uint64_t first_codes(const struct grams *g)
{
    uint64_t row = 0;
    for (int i = 0; i < g->n - 1; i++)
        row = row << GRAMS_BITS | g->code[i];
    return row;
}

/* Looks up the masks of n grams, for each type of mask, and fills the last group of
 * words to be added with empty masks. Returns the number of words. */
#define LOOK_UP(type)                                                                  \
    static void table_##type(const void *table, uint64_t all, uint64_t row,            \
                             const uint8_t *code, int64_t n, type *to)                 \
    {                                                                                  \
        const type *mask = table;                                                      \
        for (int64_t i = 0; i < n; i += 8) {                                           \
            row = row << 40 | pack_8(code + i);                                        \
            to[i] = mask[row >> 35 & all];                                             \
            to[i + 1] = mask[row >> 30 & all];                                         \
            to[i + 2] = mask[row >> 25 & all];                                         \
            to[i + 3] = mask[row >> 20 & all];                                         \
            to[i + 4] = mask[row >> 15 & all];                                         \
            to[i + 5] = mask[row >> 10 & all];                                         \
            to[i + 6] = mask[row >> 5 & all];                                          \
            to[i + 7] = mask[row & all];                                               \
        }                                                                              \
    }                                                                                  \
    static void bloom_##type(const struct classifier *c, const uint32_t *gram,         \
                             int64_t n, void *to)                                      \
    {                                                                                  \
        uint64_t low = (uint64_t)(c->how.bloom_bits - 1);                              \
        for (int64_t i = 0; i < n; i++) {                                              \
            const type *vector = c->memory;                                            \
            type mask = (type) ~(type)0;                                               \
            uint64_t x = 0;                                                            \
            for (int j = 0; j < c->how.hashes; j++, vector += low + 1) {               \
                x = j % SLICES ? x >> SLICE : hashes_of(gram[i], j / SLICES);          \
                mask &= vector[x & low];                                               \
            }                                                                          \
            ((type *)to)[i] = mask;                                                    \
        }                                                                              \
    }                                                                                  \
    static void masks_##type(const struct classifier *c, const struct grams *g,        \
                             int64_t n, void *to)                                      \
    {                                                                                  \
        if (c->how.method == METHOD_TABLE)                                             \
            table_##type(c->memory, (uint64_t)grams_all(c->n) - 1, first_codes(g),     \
                         g->code + g->n - 1, n, to);                                   \
        else                                                                           \
            bloom_##type(c, g->gram, n, to);                                           \
    }

LOOK_UP(uint16_t)
LOOK_UP(uint32_t)
LOOK_UP(uint64_t)

static int64_t look_up(const struct classifier *c, const struct grams *g, int64_t n,
                       uint64_t *to)
{
    int64_t bytes = n * c->bytes, at_once = TALLY_AT_ONCE * (int64_t)sizeof *to;
    int64_t all = (bytes + at_once - 1) / at_once * at_once;
    if (c->bytes == 2)
        masks_uint16_t(c, g, n, to);
    else if (c->bytes == 4)
        masks_uint32_t(c, g, n, to);
    else
        masks_uint64_t(c, g, n, to);
    memset((char *)to + bytes, 0, (size_t)(all - bytes));
    return all / (int64_t)sizeof *to;
}

/* ---- a text ---------------------------------------------------------------------- */

struct reading {
    const struct classifier *c;
    int64_t seen; /* number of grams */
    struct tally tally;
    struct grams grams;
    struct ranking ranking;
    uint64_t mask[GRAMS_ROOM];
};

int64_t reading_memory(const struct classifier *c)
{
    int64_t own = ((int64_t)sizeof(struct reading) + 63) / 64 * 64;
    return own + (c->how.method == METHOD_RANK ? ranking_memory(c->n) : 0);
}

static void begin(struct reading *t)
{
    t->seen = 0;
    tally_begin(&t->tally);
    grams_begin(&t->grams, t->c->n, t->c->how.latin1);
}

void reading_open(struct reading *t, const struct classifier *c)
{
    t->c = c;
    if (c->how.method == METHOD_RANK)
        ranking_open(&t->ranking, c->n,
                     (char *)t + reading_memory(c) - ranking_memory(c->n));
    begin(t);
}

static void count(struct reading *t, int64_t n)
{
    t->seen += n;
    if (t->c->how.method != METHOD_TABLE)
        grams_combine(&t->grams, n);
    if (t->c->how.method == METHOD_RANK)
        ranking_count(&t->ranking, t->grams.gram, n);
    else if (n)
        tally_add(&t->tally, t->mask, look_up(t->c, &t->grams, n, t->mask));
}

void reading_take(struct reading *t, const void *text, int64_t bytes)
{
    const char *from = text;
    while (bytes > 0) {
        int64_t n = bytes < GRAMS_PART ? bytes : GRAMS_PART;
        count(t, grams_codes(&t->grams, from, n));
        from += n;
        bytes -= n;
    }
}

/* Decides on the best language, the first one of equals. */
static struct reading_verdict decide(const struct reading *t, const int64_t *score)
{
    bool least = t->c->how.method == METHOD_RANK;
    int best = 0;
    for (int l = 1; l < t->c->languages; l++)
        if (least ? score[l] < score[best] : score[l] > score[best])
            best = l;
    bool known = least ? t->ranking.known : score[best] > 0;
    return (struct reading_verdict){known ? best : CLASSIFIER_NONE, t->seen,
                                    score[best]};
}

struct reading_verdict reading_end(struct reading *t, int64_t *score)
{
    const struct classifier *c = t->c;
    int64_t own[LANGUAGES_MOST] = {0};
    count(t, grams_codes_end(&t->grams));
    if (c->how.method == METHOD_RANK)
        ranking_end(&t->ranking, c->memory, c->languages, c->how.ranks, own);
    for (int l = 0; l < c->languages && c->how.method != METHOD_RANK; l++)
        own[l] = tally_sum(&t->tally, c->bytes * 8, l);
    struct reading_verdict v = decide(t, own);
    if (score)
        memcpy(score, own, (size_t)c->languages * sizeof *score);
    begin(t);
    return v;
}
