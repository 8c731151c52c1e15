/* The n-grams of a text: the last n codes (letters.h), 5 bits each, the oldest ones the
 * highest; from the n-th code on there is one for each code. No MPI, no files. */
#ifndef OUTCORE_NGRAM_GRAMS_H
#define OUTCORE_NGRAM_GRAMS_H

#include "outcore/ngram/letters.h"

enum {
    GRAMS_N_LEAST = 2,
    GRAMS_N_MOST = 5,
    GRAMS_BITS = 5,    /* of a code */
    GRAMS_PART = 2048, /* bytes of text at once */
    GRAMS_ROOM = GRAMS_PART + 32
};

struct grams { /* of a text so far; begun by grams_begin */
    struct letters letters;
    int n;
    int64_t codes, kept;      /* `kept`: of them in `code` */
    uint8_t code[GRAMS_ROOM]; /* the last n - 1 of the part before, and this one's */
    uint32_t gram[GRAMS_ROOM];
};

static inline int64_t grams_all(int n)
{
    return INT64_C(1) << GRAMS_BITS * n;
}

/* Local. At the begin of a text. */
void grams_begin(struct grams *g, int n, bool latin1);

/* Local. The next bytes, GRAMS_PART at most: their grams are g->gram, until the next
 * call. Returns how many. The end of the text: one more, perhaps. */
int64_t grams_take(struct grams *g, const void *text, int64_t bytes);
int64_t grams_end(struct grams *g);

/* Local. Likewise, but only g->code: gram i is of code[i], ..., code[i + n - 1]. */
int64_t grams_codes(struct grams *g, const void *text, int64_t bytes);
int64_t grams_codes_end(struct grams *g);

/* Local. Their grams, as g->gram. */
void grams_combine(struct grams *g, int64_t grams);

/* Local. A gram as text, "_the": a..z, and _ for 0; to[n + 1]. And back: -1 where it is
 * none. */
void grams_name(int n, uint32_t gram, char *to);
int64_t grams_parse(int n, const char *text);

#endif
