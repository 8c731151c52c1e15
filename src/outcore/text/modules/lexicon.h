/* A lexicon: phrases, and the automaton that finds all of them at once (Aho and
 * Corasick, 1975), over numbers of words instead of characters. */
#ifndef OUTCORE_TEXT_MODULES_LEXICON_H
#define OUTCORE_TEXT_MODULES_LEXICON_H

#include "base/rng.h"
#include "outcore/text/modules/job.h"
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- tokens ---------------------------------------------------------------------- */

/* Two ways in which modules split BODY:
 *
 *   words    maximal runs of [A-Za-z0-9], for the lexicon; all else separates them
 *   tokens   maximal runs of [A-Za-z0-9] and of bytes from 0x80 on, which are parts of
 *            letters in UTF-8; each other byte that is no ASCII blank is one, too */

enum token_class {
    TOKEN_UPPER = 1,
    TOKEN_LOWER = 2,
    TOKEN_DIGIT = 4,
    TOKEN_HIGH = 8, /* from 0x80 on */
    TOKEN_BLANK = 16,
    TOKEN_WORD = TOKEN_UPPER | TOKEN_LOWER | TOKEN_DIGIT,
    TOKEN_RUN = TOKEN_WORD | TOKEN_HIGH
};

extern const uint8_t token_class[256];

static inline bool token_is(const char *at, int of)
{
    return token_class[(unsigned char)*at] & of;
}

/* Returns an ASCII letter in lower case, and any other byte as it is. */
static inline char token_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Local. Finds the next token of [*at, end), as [*at, *to); false: there is none. */
static inline bool token_next(const char **at, const char **to, const char *end)
{
    const char *p = *at;
    while (p < end && token_is(p, TOKEN_BLANK))
        p++;
    *at = p;
    if (p == end)
        return false;
    if (token_is(p++, TOKEN_RUN))
        while (p < end && token_is(p, TOKEN_RUN))
            p++;
    *to = p;
    return true;
}

/* ---- the lexicon ----------------------------------------------------------------- */

/* A word in lower case, by its bytes, eight at a time, padded with zeros. */
struct lexicon_word {
    uint64_t first;
    union {
        uint64_t second; /* if it has up to 16 bytes */
        int64_t at;      /* if it has more: its offset in `text` */
    };
    int32_t bytes; /* 0: free place */
    int32_t
        number; /* from 1 on; words that begin a phrase come first: 1 .. singles, which
                 * are also the numbers of the states of these words alone */
};

struct lexicon_edge {
    uint64_t key; /* state << 32 | word; 0: free place, as state 0 has no edges */
    int32_t to, shorter; /* the state, and its suffix link, copied here to save a
                          * cache miss */
};

struct lexicon_state {
    int32_t shorter; /* suffix link: the longest proper suffix that is a state;
                      * 0: none */
    int32_t found;   /* it, or the first state along the suffix links, that is a whole
                      * phrase; 0: none */
    int32_t term;    /* its phrase; -1: none */
};

struct lexicon_term {
    int64_t at; /* offset in `text` of its words, with a blank between them and
                 * a newline */
    int32_t bytes, words;
};

struct lexicon {
    struct lexicon_word *word; /* hash table, 1 << word_bits places */
    int word_bits;
    struct lexicon_edge *edge; /* hash table of the edges of states other than 0 */
    int edge_bits;
    uint64_t *may; /* filter: a bit per hash, 1 << may_bits of them; 0: there is no such
                    * edge. It is small and rules out most words; `edge` is large */
    int may_bits;
    uint64_t none; /* index of a free place of `edge` */
    int32_t singles;
    struct lexicon_state *state;
    uint64_t *ends; /* a bit per state: it has `found` */
    struct lexicon_term *term;
    int64_t words, edges, states, terms, term_words; /* term_words: of the longest */
    struct text_out text;
};

/* Local. Reads one phrase per line. Matching ignores case and the bytes between words.
 * Empty lines are skipped, and duplicate phrases count once. 0, or -errno with a
 * sentence: -EINVAL (usage; a line without letter and digit), -ENOMEM. */
int lexicon_load(struct lexicon **x, const struct text_bytes *from);
void lexicon_free(struct lexicon *x);

/* Compares a word with n bytes of BODY, from the ninth byte on. */
static inline bool lexicon_same(const char *word, const char *at, int64_t n)
{
    int64_t i = 8;
    while (i < n && word[i] == token_lower(at[i]))
        i++;
    return i == n;
}

/* Mixes two halves into a hash, of which the highest bits are used. */
static inline uint64_t lexicon_hash(uint64_t a, uint64_t b)
{
    return (a * RNG_STEP ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Returns the first 8 bytes, or n, of a word in [at, end), in lower case: upper case
 * differs from it in one bit, which digits have, too. */
static inline uint64_t lexicon_eight(const char *at, int64_t n, const char *end)
{
    uint64_t x = 0, mask = n < 8 ? ~(~UINT64_C(0) << 8 * n) : ~UINT64_C(0);
    if (end - at >= 8)
        memcpy(&x, at, 8);
    else
        memcpy(&x, at, (size_t)(end - at));
    return (le64toh(x) | UINT64_C(0x2020202020202020)) & mask;
}

/* Returns a word's bytes 9 to 16. Few words have any, but too many for
 * branch prediction. */
static inline uint64_t lexicon_second(const char *at, int64_t n, const char *end)
{
    if (end - at >= 16)
        return lexicon_eight(at + 8, n < 8 ? 0 : n - 8, end);
    return n > 8 ? lexicon_eight(at + 8, n - 8, end) : 0;
}

/* Returns the place of a word of n bytes in [at, end): its own, or a free one. */
static inline struct lexicon_word *lexicon_find(const struct lexicon *x, const char *at,
                                                int64_t n, const char *end)
{
    uint64_t first = lexicon_eight(at, n, end), second = lexicon_second(at, n, end),
             hash = lexicon_hash(first, second);
    uint64_t mask = (UINT64_C(1) << x->word_bits) - 1;
    for (int64_t i = 16; i < n; i += 8)
        hash = lexicon_hash(hash, lexicon_eight(at + i, n - i, end));
    for (uint64_t i = hash >> (64 - x->word_bits);; i = (i + 1) & mask) {
        struct lexicon_word *w = &x->word[i];
        if (!w->bytes ||
            (w->bytes == n && w->first == first &&
             (n <= 16 ? w->second == second : lexicon_same(x->text.at + w->at, at, n))))
            return w;
    }
}

/* A state of the search, and its suffix link. */
struct lexicon_at {
    int32_t state, shorter;
};

static inline uint64_t lexicon_key(int32_t state, int32_t number)
{
    return (uint64_t)state << 32 | (uint32_t)number;
}

/* Returns 1: there may be an edge with that hash; 0: there is none. */
static inline uint64_t lexicon_may(const struct lexicon *x, uint64_t hash)
{
    uint64_t bit = hash >> (64 - x->may_bits);
    return x->may[bit / 64] >> (bit % 64) & 1;
}

/* Returns the place of an edge, or a free one; searches from place i on. */
static inline const struct lexicon_edge *lexicon_edge(const struct lexicon *x,
                                                      uint64_t i, uint64_t key)
{
    while ((x->edge[i].key != key) & (x->edge[i].key != 0))
        i = (i + 1) & ((UINT64_C(1) << x->edge_bits) - 1);
    return &x->edge[i];
}

/* Local. Returns the state that the word `number` leads to from a state other than 0;
 * 0: none. */
static inline struct lexicon_at lexicon_step(const struct lexicon *x, int32_t state,
                                             int32_t number)
{
    uint64_t hash = lexicon_hash((uint32_t)state, (uint32_t)number);
    if (!lexicon_may(x, hash))
        return (struct lexicon_at){0, 0};
    const struct lexicon_edge *e =
        lexicon_edge(x, hash >> (64 - x->edge_bits), lexicon_key(state, number));
    return (struct lexicon_at){e->to, e->shorter};
}

/* Local. Returns the state of two words alone, or else of the second alone. Which one
 * cannot be predicted, so there is no branch: a pair that the filter rules out looks up
 * key 0, which the place `none` has. */
static inline struct lexicon_at lexicon_pair(const struct lexicon *x, int32_t before,
                                             int32_t number)
{
    int32_t state = before <= x->singles ? before : 0,
            single = number <= x->singles ? number : 0;
    uint64_t hash = lexicon_hash((uint32_t)state, (uint32_t)number),
             all = -lexicon_may(x, hash), key = lexicon_key(state, number) & all,
             i = all & hash >> (64 - x->edge_bits);
    const struct lexicon_edge *e = lexicon_edge(x, i | (~all & x->none), key);
    return (struct lexicon_at){e->to ? e->to : single, e->to ? single : 0};
}

/* Local. Returns the next state, by way of suffix links; `pair`: lexicon_pair() of the
 * last two words. */
static inline struct lexicon_at lexicon_next(const struct lexicon *x,
                                             struct lexicon_at from, int32_t number,
                                             struct lexicon_at pair)
{
    while (from.state > x->singles) {
        struct lexicon_at to = lexicon_step(x, from.state, number);
        if (to.state)
            return to;
        from.state = from.shorter;
        from.shorter = from.state <= x->singles ? 0 : x->state[from.state].shorter;
    }
    return pair;
}

#endif
