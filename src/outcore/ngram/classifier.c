#include "outcore/ngram/classifier.h"
#include "base/rng.h"
#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* ---- tallies --------------------------------------------------------------------- */

enum { LOW = 4 }; /* binary digits below sixteen */

void tally_begin(struct tally *t)
{
    memset(t, 0, sizeof *t);
}

/* Adds a and b: *low + a + b = 2 * carry + *low */
static inline uint64_t classifier_add(uint64_t *low, uint64_t a, uint64_t b)
{
    uint64_t both = *low ^ a, carry = (*low & a) | (both & b);
    *low = both ^ b;
    return carry;
}

static inline uint64_t add_4(uint64_t d[], const uint64_t w[])
{
    uint64_t first = classifier_add(&d[0], w[0], w[1]),
             second = classifier_add(&d[0], w[2], w[3]);
    return classifier_add(&d[1], first, second);
}

static inline uint64_t add_8(uint64_t d[], const uint64_t w[])
{
    uint64_t first = add_4(d, w), second = add_4(d, w + 4);
    return classifier_add(&d[2], first, second);
}

static void carry_on(struct tally *t, uint64_t sixteens)
{
    for (int k = LOW; sixteens; k++) {
        uint64_t sum = t->digit[k] ^ sixteens;
        sixteens &= t->digit[k];
        t->digit[k] = sum;
        t->digits = k - LOW >= t->digits ? k - LOW + 1 : t->digits;
    }
}

void tally_add(struct tally *t, const uint64_t *word, int64_t words)
{
    uint64_t d[LOW];
    memcpy(d, t->digit, sizeof d);
    for (int64_t i = 0; i < words; i += TALLY_AT_ONCE) {
        uint64_t first = add_8(d, word + i), second = add_8(d, word + i + 8);
        carry_on(t, classifier_add(&d[3], first, second));
    }
    memcpy(t->digit, d, sizeof d);
}

int64_t tally_sum(const struct tally *t, int bits, int i)
{
    uint64_t each =
        ~UINT64_C(0) / (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
    int64_t sum = 0;
    for (int k = LOW + t->digits; k-- > 0;)
        sum += (int64_t)(((t->digit[k] >> i) & each) * each >> (64 - bits)) << k;
    return sum;
}

/* ---- ranks ----------------------------------------------------------------------- */

/* Compares texts by the ranks of their grams: the distances of the text's most frequent
 * ones from their ranks in a language's profile (Cavnar and Trenkle, "N-gram-based text
 * categorization", SDAIR 1994). For classifier.c. No MPI, no files. */

struct ranking { /* state in a text */
    int n;
    bool known;      /* the last text has had a gram of a language */
    int64_t *count;  /* for each gram */
    uint32_t *there; /* grams that occur */
    int64_t grams;   /* number of them */
};

/* Memory: for each gram its row, from 1 on, or 0; then rows with the rank in each
 * language, from 1 on, or 0. */
static int64_t first_of(const struct languages *m, int l, int64_t ranks)
{
    int64_t n = m->first[l + 1] - m->first[l];
    return n < ranks ? n : ranks;
}

/* Local. The bytes of all languages' ranks, of the first `ranks` grams of each; and
 * fills them in as many zeros. */
static int64_t rank_memory(const struct languages *m, int64_t ranks)
{
    int64_t rows = 1;
    for (int l = 0; l < m->languages; l++)
        rows += first_of(m, l, ranks);
    return grams_all(m->n) * (int64_t)sizeof(uint32_t) +
           rows * m->languages * (int64_t)sizeof(uint16_t);
}

static uint16_t *rows_of(void *memory, int n)
{
    return (uint16_t *)((uint32_t *)memory + grams_all(n));
}

static void rank_fill(const struct languages *m, int64_t ranks, void *to)
{
    uint32_t *row = to, rows = 0;
    uint16_t *rank = rows_of(to, m->n);
    for (int l = 0; l < m->languages; l++)
        for (int64_t i = 0; i < first_of(m, l, ranks); i++) {
            uint32_t gram = m->gram[m->first[l] + i].gram;
            row[gram] = row[gram] ? row[gram] : ++rows;
            rank[(int64_t)row[gram] * m->languages + l] = (uint16_t)(i + 1);
        }
}

/* ---- a text ---------------------------------------------------------------------- */

/* Local. The bytes of a ranking; and its initialization in as many zeros. */
static int64_t ranking_memory(int n)
{
    return grams_all(n) * (int64_t)(sizeof(int64_t) + sizeof(uint32_t));
}

static void ranking_open(struct ranking *k, int n, void *memory)
{
    *k = (struct ranking){.n = n, .count = memory};
    k->there = (uint32_t *)(k->count + grams_all(n));
}

/* Local. Counts the next grams. */
static void ranking_count(struct ranking *k, const uint32_t *gram, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!k->count[gram[i]]++)
            k->there[k->grams++] = gram[i];
}

static int by_count(const void *a, const void *b, void *count)
{
    const int64_t *of = count;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (of[x] != of[y])
        return of[x] > of[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void add_distances(struct ranking *k, const void *of_languages, int languages,
                          int64_t ranks, int64_t *distance)
{
    const uint32_t *row = of_languages;
    const uint16_t *rank = (const uint16_t *)(row + grams_all(k->n));
    for (int64_t i = 0; i < k->grams && i < ranks; i++) {
        const uint16_t *of = rank + (int64_t)row[k->there[i]] * languages;
        k->known |= row[k->there[i]] > 0;
        for (int l = 0; l < languages; l++)
            distance[l] += of[l] ? llabs(of[l] - 1 - i) : ranks;
    }
}

/* Local. Computes the distance from each language; a gram that it lacks has the
 * distance `ranks`. Begins the next text. */
static void ranking_end(struct ranking *k, const void *of_languages, int languages,
                        int64_t ranks, int64_t *distance)
{
    k->known = false;
    qsort_r(k->there, (size_t)k->grams, sizeof *k->there, by_count, k->count);
    add_distances(k, of_languages, languages, ranks, distance);
    for (int64_t i = 0; i < k->grams; i++)
        k->count[k->there[i]] = 0;
    k->grams = 0;
}

/* ---- the classifier -------------------------------------------------------------- */

/* ---- a text ---------------------------------------------------------------------- */

struct reading; /* state of one thread */

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

static void classifier_begin(struct reading *t)
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
    classifier_begin(t);
}

static void classifier_count(struct reading *t, int64_t n)
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
        classifier_count(t, grams_codes(&t->grams, from, n));
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
    classifier_count(t, grams_codes_end(&t->grams));
    if (c->how.method == METHOD_RANK)
        ranking_end(&t->ranking, c->memory, c->languages, c->how.ranks, own);
    for (int l = 0; l < c->languages && c->how.method != METHOD_RANK; l++)
        own[l] = tally_sum(&t->tally, c->bytes * 8, l);
    struct reading_verdict v = decide(t, own);
    if (score)
        memcpy(score, own, (size_t)c->languages * sizeof *score);
    classifier_begin(t);
    return v;
}
