/* Compares texts by the ranks of their grams: the distances of the text's most frequent
 * ones from their ranks in a language's profile (Cavnar and Trenkle, "N-gram-based text
 * categorization", SDAIR 1994). For classifier.c. No MPI, no files. */
#ifndef OUTCORE_NGRAM_RANK_H
#define OUTCORE_NGRAM_RANK_H

#include "outcore/ngram/languages.h"

/* Local. The bytes of all languages' ranks, of the first `ranks` grams of each; and
 * fills them in as many zeros. */
int64_t rank_memory(const struct languages *m, int64_t ranks);
void rank_fill(const struct languages *m, int64_t ranks, void *to);

struct ranking { /* state in a text */
    int n;
    bool known;      /* the last text has had a gram of a language */
    int64_t *count;  /* for each gram */
    uint32_t *there; /* grams that occur */
    int64_t grams;   /* number of them */
};

/* Local. The bytes of a ranking; and its initialization in as many zeros. */
int64_t ranking_memory(int n);
void ranking_open(struct ranking *k, int n, void *memory);

/* Local. Counts the next grams. */
void ranking_count(struct ranking *k, const uint32_t *gram, int64_t n);

/* Local. Computes the distance from each language; a gram that it lacks has the
 * distance `ranks`. Begins the next text. */
void ranking_end(struct ranking *k, const void *of_languages, int languages,
                 int64_t ranks, int64_t *distance);

#endif
