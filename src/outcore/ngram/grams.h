/* The n-grams of a text: the last n codes (letters.h), 5 bits each, the oldest ones the
 * highest; from the n-th code on there is one for each code. No MPI, no files. */
#ifndef OUTCORE_NGRAM_GRAMS_H
#define OUTCORE_NGRAM_GRAMS_H

#include "outcore/ngram/letters.h"

enum {
    GRAMS_N_LEAST = 2,
    GRAMS_N_MOST = 5,
    GRAMS_BITS = 5,    /* bits of a code */
    GRAMS_PART = 2048, /* bytes of text at a time */
    GRAMS_ROOM = GRAMS_PART + 32
};

struct grams { /* state in a text; initialized by grams_begin */
    struct letters letters;
    int n;
    int64_t codes, kept;      /* `kept`: those in `code` */
    uint8_t code[GRAMS_ROOM]; /* the last n - 1 codes of the previous part, and
                               * this part's */
    uint32_t gram[GRAMS_ROOM];
};

static inline int64_t grams_all(int n)
{
    return INT64_C(1) << GRAMS_BITS * n;
}

/* Local. Begins a text. */
void grams_begin(struct grams *g, int n, bool latin1);

/* Local. Take the next bytes, at most GRAMS_PART: their grams are g->gram, until the
 * next call. Return their number. The end of the text may add one. */
int64_t grams_take(struct grams *g, const void *text, int64_t bytes);
int64_t grams_end(struct grams *g);

/* Local. The same, but only g->code: gram i consists of code[i], ..., code[i + n
 * - 1]. */
int64_t grams_codes(struct grams *g, const void *text, int64_t bytes);
int64_t grams_codes_end(struct grams *g);

/* Local. Combines these codes to g->gram. */
void grams_combine(struct grams *g, int64_t grams);

/* Local. Formats a gram, "_the": a..z, and _ for 0; to[n + 1]. And parses it: -1 if it
 * is none. */
void grams_name(int n, uint32_t gram, char *to);
int64_t grams_parse(int n, const char *text);

#endif
