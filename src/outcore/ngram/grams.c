#include "base/mem.h"
#include "outcore/ngram/classifier.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- letters --------------------------------------------------------------------- */

enum { AT_ONCE = 8 };

#define EACH UINT64_C(0x0101010101010101) /* in each byte */
#define HIGH_BITS (EACH * 0x80)

/* Loads eight bytes, the first one the lowest. */
static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return le64toh(x);
}

static inline void put_word(uint8_t *to, uint64_t x)
{
    x = htole64(x);
    memcpy(to, &x, sizeof x);
}

/* Appends a code without a branch: half of all word ends would be mispredicted. */
static inline uint8_t *emit(uint8_t *to, uint8_t *last, uint8_t code)
{
    *to = code;
    to += (code | *last) != 0;
    *last = code;
    return to;
}

/* Takes a byte. Two bytes code U+0080 .. U+024F and some more; longer sequences are no
 * letters, nor are misplaced bytes: each of these is a 0 by itself. */
static inline uint8_t *grams_step(struct letters *l, uint8_t b, uint8_t *to)
{
    uint8_t lead = l->lead;
    l->lead = 0;
    if (lead && (b & 0xc0) == 0x80) {
        unsigned point = (lead & 0x1fU) << 6 | (b & 0x3fU);
        return emit(to, &l->last, point < LETTERS_FOLDED ? letters_fold[point] : 0);
    }
    if (lead)
        to = emit(to, &l->last, 0);
    if (b >= 0xc2 && b <= 0xc9) {
        l->lead = b;
        return to;
    }
    return emit(to, &l->last, b < 0x80 ? letters_fold[b] : 0);
}

static uint8_t *take_latin1(struct letters *l, const uint8_t *text, int64_t bytes,
                            uint8_t *to)
{
    uint8_t last = l->last;
    for (int64_t i = 0; i < bytes; i++)
        to = emit(to, &last, letters_fold[text[i]]);
    l->last = last;
    return to;
}

/* The codes of eight ASCII bytes; *other: the highest bit of each that is no letter. A
 * letter is first made lower-case, and is then from 0x61 to 0x7a. */
static inline uint64_t fold_8(uint64_t x, uint64_t *other)
{
    uint64_t small = x | EACH * 0x20;
    uint64_t letter = (small + EACH * 0x1f) & ~(small + EACH * 0x05) & HIGH_BITS;
    *other = letter ^ HIGH_BITS;
    return small & ((letter >> 2) - (letter >> 7));
}

/* Appends the first n of eight bytes, which are ASCII. Mostly one code or none is left
 * out: those after it move down. */
static inline uint8_t *emit_word(uint8_t *to, uint8_t *last, uint64_t x, int n)
{
    uint64_t other, code = fold_8(x, &other), whole = n == AT_ONCE;
    uint64_t those = whole ? ~UINT64_C(0) : (UINT64_C(1) << 8 * n) - 1;
    uint64_t out = other & (other << 8 | (*last ? 0 : 0x80)) & those;
    uint64_t stay = (out >> 7) - 1; /* the bytes before it; or all of them */
    if (out & (out - 1)) {
        for (int k = 0; k < n; k++)
            to = emit(to, last, code >> 8 * k & 0xff);
        return to;
    }
    put_word(to, (code & stay) | (code >> 8 & ~stay));
    *last = (uint8_t)(whole ? code >> 56 : (code << 8 | *last) >> 8 * n);
    return to + n - (out != 0);
}

/* Takes bytes up to the next ASCII byte that starts a character. */
static inline int64_t steps(struct letters *l, const uint8_t *text, int64_t i,
                            int64_t bytes, uint8_t **to)
{
    for (; i < bytes && (l->lead || text[i] >= 0x80); i++)
        *to = grams_step(l, text[i], *to);
    return i;
}

static uint8_t *take_utf8(struct letters *l, const uint8_t *text, int64_t bytes,
                          uint8_t *to)
{
    struct letters s = *l;
    int64_t i = steps(&s, text, 0, bytes, &to);
    while (i + AT_ONCE <= bytes) {
        uint64_t x = word_at(text + i), high = x & HIGH_BITS;
        if (!high) {
            to = emit_word(to, &s.last, x, AT_ONCE);
            i += AT_ONCE;
        } else {
            int n = __builtin_ctzll(high) / 8;
            to = emit_word(to, &s.last, x, n);
            i = steps(&s, text, i + n, bytes, &to);
        }
    }
    for (; i < bytes; i++)
        to = grams_step(&s, text[i], to);
    *l = s;
    return to;
}

int64_t letters_take(struct letters *l, const void *text, int64_t bytes, uint8_t *to)
{
    return (l->latin1 ? take_latin1(l, text, bytes, to)
                      : take_utf8(l, text, bytes, to)) -
           to;
}

int64_t letters_end(struct letters *l, uint8_t *to)
{
    bool cut = l->lead;
    l->lead = 0;
    return cut ? emit(to, &l->last, 0) - to : 0;
}

/* ---- n-grams --------------------------------------------------------------------- */

enum {
    GRAMS_AT_ONCE = 16
}; /* grams: a compile-time constant, so that loops are vectorised */

void grams_begin(struct grams *g, int n, bool latin1)
{
    g->letters = (struct letters){.latin1 = latin1};
    g->n = n;
    g->codes = g->kept = 0;
    memset(g->code, 0, GRAMS_N_MOST);
}

/* Combines codes c[0], ... to grams; c[i + n - 1] is the last code of gram i. */
static void combine(const uint8_t *c, int n, uint32_t *to, int64_t grams)
{
    for (int64_t i = 0; i < grams; i += GRAMS_AT_ONCE)
        for (int k = 0; k < GRAMS_AT_ONCE; k++)
            to[i + k] = c[i + k];
    for (int j = 1; j < n; j++)
        for (int64_t i = 0; i < grams; i += GRAMS_AT_ONCE)
            for (int k = 0; k < GRAMS_AT_ONCE; k++)
                to[i + k] = to[i + k] << GRAMS_BITS | c[i + k + j];
}

/* Combines four codes, by far the most usual number. */
static void combine_4(const uint8_t *c, uint32_t *to, int64_t grams)
{
    for (int64_t i = 0; i < grams; i += GRAMS_AT_ONCE)
        for (int k = 0; k < GRAMS_AT_ONCE; k++)
            to[i + k] = (uint32_t)c[i + k] << 15 | (uint32_t)c[i + k + 1] << 10 |
                        (uint32_t)c[i + k + 2] << 5 | c[i + k + 3];
}

/* Counts `more` codes after those that are kept. */
static int64_t grams_count(struct grams *g, int64_t more)
{
    int64_t grams = g->kept + more - (g->n - 1);
    g->codes += more;
    g->kept += more;
    return grams > 0 ? grams : 0;
}

/* Keeps the last n - 1 codes; returns the room behind them. */
static uint8_t *grams_room(struct grams *g)
{
    int64_t past = g->kept - (g->n - 1);
    if (past > 0) {
        memmove(g->code, g->code + past, (size_t)g->n - 1);
        g->kept = g->n - 1;
    }
    return g->code + g->kept;
}

int64_t grams_codes(struct grams *g, const void *text, int64_t bytes)
{
    uint8_t *to = grams_room(g);
    return grams_count(g, letters_take(&g->letters, text, bytes, to));
}

int64_t grams_codes_end(struct grams *g)
{
    uint8_t *to = grams_room(g);
    return grams_count(g, letters_end(&g->letters, to));
}

void grams_combine(struct grams *g, int64_t grams)
{
    if (g->n == 4)
        combine_4(g->code, g->gram, grams);
    else
        combine(g->code, g->n, g->gram, grams);
}

int64_t grams_take(struct grams *g, const void *text, int64_t bytes)
{
    int64_t grams = grams_codes(g, text, bytes);
    grams_combine(g, grams);
    return grams;
}

int64_t grams_end(struct grams *g)
{
    int64_t grams = grams_codes_end(g);
    grams_combine(g, grams);
    return grams;
}

void grams_name(int n, uint32_t gram, char *to)
{
    for (int i = n; i-- > 0; gram >>= GRAMS_BITS) {
        unsigned code = gram & 31;
        to[i] = (char)(code ? 'a' + code - 1 : '_');
    }
    to[n] = 0;
}

int64_t grams_parse(int n, const char *text)
{
    int64_t gram = 0;
    if (strlen(text) != (size_t)n)
        return -1;
    for (; *text; text++) {
        bool letter = *text >= 'a' && *text <= 'z';
        if (!letter && *text != '_')
            return -1;
        gram = gram << GRAMS_BITS | (letter ? *text - 'a' + 1 : 0);
    }
    return gram;
}

/* ---- profiles -------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const struct profile_gram *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->gram < y->gram ? -1 : x->gram > y->gram;
}

void profile_sort(struct profile_gram *is, int64_t n)
{
    qsort(is, (size_t)n, sizeof *is, by_count);
}

int64_t profile_of(const int64_t *count, int64_t all, struct profile_gram *to,
                   int64_t most, int64_t *distinct)
{
    int64_t n = 0;
    for (int64_t g = 0; g < all; g++)
        n += count[g] > 0;
    struct profile_gram *is = mem_new(n + 1, sizeof *is, "sorting grams");
    if (!is)
        return -ENOMEM;
    *distinct = n;
    n = 0;
    for (int64_t g = 0; g < all; g++)
        if (count[g] > 0)
            is[n++] = (struct profile_gram){(uint32_t)g, count[g]};
    profile_sort(is, n);
    most = n < most ? n : most;
    memcpy(to, is, (size_t)most * sizeof *to);
    free(is);
    return most;
}
