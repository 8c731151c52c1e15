/* Texts by the ranks of their grams: of the text's most frequent ones, how far each is
 * from its place in the profile of a language (Cavnar and Trenkle, "N-gram-based text
 * categorization", SDAIR 1994). For classifier.c. No MPI, no files. */
#ifndef OUTCORE_NGRAM_RANK_H
#define OUTCORE_NGRAM_RANK_H

#include "outcore/ngram/languages.h"

/* Local. Bytes of the ranks of all languages, of the first `ranks` of each; and them,
 * into so many zeros. */
int64_t rank_memory(const struct languages *m, int64_t ranks);
void rank_fill(const struct languages *m, int64_t ranks, void *to);

struct ranking { /* of a text */
    int n;
    bool known;      /* the last text has had a gram of a language */
    int64_t *count;  /* of each gram */
    uint32_t *there; /* grams that it has */
    int64_t grams;   /* of them */
};

/* Local. Bytes that one needs; and its begin, in so many zeros. */
int64_t ranking_memory(int n);
void ranking_open(struct ranking *k, int n, void *memory);

/* Local. The next grams. */
void ranking_count(struct ranking *k, const uint32_t *gram, int64_t n);

/* Local. The distance from each language; a gram that it does not have is `ranks` away.
 * The next text begins. */
void ranking_end(struct ranking *k, const void *of_languages, int languages,
                 int64_t ranks, int64_t *distance);

#endif
