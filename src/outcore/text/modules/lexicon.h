/* A lexicon: phrases, and the automaton that finds all of them at once (Aho and
 * Corasick, 1975), over numbers of words instead of characters. */
#ifndef OUTCORE_TEXT_LEXICON_H
#define OUTCORE_TEXT_LEXICON_H

#include "base/rng.h"
#include "outcore/text/modules/job.h"
#include "outcore/text/modules/tokens.h"
#include <endian.h>

/* A word in lower case, by its bytes, eight at a time, filled up with zeros. */
struct lexicon_word {
    uint64_t first;
    union {
        uint64_t second; /* of up to 16 bytes */
        int64_t at;      /* of more: where the word is in `text` */
    };
    int32_t bytes; /* 0: nobody's place */
    int32_t
        number; /* from 1 on; first of those that a phrase begins with: 1 .. singles,
                       the numbers of the states that they alone are */
};

struct lexicon_edge {
    uint64_t key; /* state << 32 | word; 0: nobody's place, as state 0 has none */
    int32_t to, shorter; /* the state, and that of it: else it is far away */
};

struct lexicon_state {
    int32_t shorter; /* the longest proper end of it that is a state; 0: none */
    int32_t found;   /* it, or the next on that way that is a whole phrase; 0: none */
    int32_t term;    /* the phrase that it is; -1: none */
};

struct lexicon_term {
    int64_t at; /* its words with a blank between them, in `text`, and a
                   line's end */
    int32_t bytes, words;
};

struct lexicon {
    struct lexicon_word *word; /* by hash, 1 << word_bits places */
    int word_bits;
    struct lexicon_edge *edge; /* of states but 0, by hash */
    int edge_bits;
    uint64_t
        *may; /* a bit by hash, 1 << may_bits: 0: there is no such edge. It is small
                      and says so of most words, `edge` is large */
    int may_bits;
    uint64_t none; /* a free place of `edge` */
    int32_t singles;
    struct lexicon_state *state;
    uint64_t *ends; /* a bit by state: whether it has `found` */
    struct lexicon_term *term;
    int64_t words, edges, states, terms, term_words; /* the last: of the longest */
    struct text_out text;
};

/* Local. A phrase a line, matched without regard to case and to what is between its
 * words; empty lines are skipped, and a phrase that is there twice counts once. 0, or
 * -errno with a sentence: -EINVAL (usage; a line without letter and digit), -ENOMEM. */
int lexicon_load(struct lexicon **x, const struct text_bytes *from);
void lexicon_free(struct lexicon *x);

/* Whether n bytes of BODY are that word, from its ninth byte on. */
static inline bool lexicon_same(const char *word, const char *at, int64_t n)
{
    int64_t i = 8;
    while (i < n && word[i] == token_lower(at[i]))
        i++;
    return i == n;
}

/* Mixes two halves into a hash whose highest bits are used. */
static inline uint64_t lexicon_hash(uint64_t a, uint64_t b)
{
    return (a * RNG_STEP ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The first 8 bytes, or n, of a word, which is in [at, end), in lower case: upper case
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

/* A word's bytes from the ninth on; few have any, but too many to guess it. */
static inline uint64_t lexicon_second(const char *at, int64_t n, const char *end)
{
    if (end - at >= 16)
        return lexicon_eight(at + 8, n < 8 ? 0 : n - 8, end);
    return n > 8 ? lexicon_eight(at + 8, n - 8, end) : 0;
}

/* The place of a word of n bytes, which is in [at, end): its own, or a free one. */
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

/* A state while words are followed. */
struct lexicon_at {
    int32_t state, shorter;
};

static inline uint64_t lexicon_key(int32_t state, int32_t number)
{
    return (uint64_t)state << 32 | (uint32_t)number;
}

/* 1: there may be an edge with that hash; 0: there is none. */
static inline uint64_t lexicon_may(const struct lexicon *x, uint64_t hash)
{
    uint64_t bit = hash >> (64 - x->may_bits);
    return x->may[bit / 64] >> (bit % 64) & 1;
}

/* Where the edge is, or would be, from place i on. */
static inline const struct lexicon_edge *lexicon_edge(const struct lexicon *x,
                                                      uint64_t i, uint64_t key)
{
    while ((x->edge[i].key != key) & (x->edge[i].key != 0))
        i = (i + 1) & ((UINT64_C(1) << x->edge_bits) - 1);
    return &x->edge[i];
}

/* Local. The state after the word `number` in a state but 0; 0: none is. */
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

/* Local. The state that two words alone lead to, or else the second alone. Whether they
 * do cannot be guessed, so nothing branches on it: what may not be asks for key 0,
 * which the place of `none` has. */
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

/* Local. The next state, by way of shorter ones; `pair`: that of the last two words. */
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
