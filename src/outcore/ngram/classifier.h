/* Classifies a text by the grams that it shares with each language: by a table of all
 * grams with the languages that have each, by Bloom filters instead of it, or by the
 * ranks of its most frequent grams (Cavnar and Trenkle 1994). No MPI, no files. */
#ifndef OUTCORE_NGRAM_CLASSIFIER_H
#define OUTCORE_NGRAM_CLASSIFIER_H

#include "outcore/ngram/languages.h"
#include <stdint.h>

/* ---- tallies --------------------------------------------------------------------- */

/* Counts for some masks how many have each bit set: sums of all bits together, as
 * binary numbers whose digits are in separate words (carry-save adders, after Harley
 * and Seal). A mask is a part of a word. No MPI, no files. */

enum {
    TALLY_AT_ONCE = 16, /* words at a time */
    TALLY_DIGITS = 62
};

struct tally {  /* all zeros: empty */
    int digits; /* number of digits from sixteen up that are in use */
    uint64_t digit[TALLY_DIGITS];
};

/* Local. Resets all counts. */
void tally_begin(struct tally *t);

/* Local. Adds the masks in `words` words, a multiple of TALLY_AT_ONCE. */
void tally_add(struct tally *t, const uint64_t *word, int64_t words);

/* Local. The number of masks of `bits` (8, 16, 32, 64) with bit i set. */
int64_t tally_sum(const struct tally *t, int bits, int i);

/* ---- the classifier -------------------------------------------------------------- */

enum method { METHOD_TABLE, METHOD_BLOOM, METHOD_RANK };

struct classifier_how {
    enum method method;
    bool latin1;
    int64_t bloom_bits; /* of a language's vector for each hash function: a power
                         * of 2 */
    int hashes;         /* at most CLASSIFIER_HASHES */
    int64_t ranks;      /* ranked grams of a text, and of a language */
};

enum { CLASSIFIER_HASHES = 8, CLASSIFIER_RANKS = 60000, CLASSIFIER_NONE = -1 };

struct classifier {
    struct classifier_how how;
    int n, languages;
    int bytes;     /* of a mask of languages: 2, 4 or 8 */
    void *memory;  /* tables: read by any number of threads */
    int64_t known; /* rank: number of grams that some language has */
};

/* Local. The bytes of the tables for that model. */
int64_t classifier_memory(const struct languages *m, const struct classifier_how *how);

/* Local. Makes a classifier in `memory`, of classifier_memory bytes, which is zeroed
 * and which `fill` fills, or which another process has filled in the same way. */
void classifier_make(struct classifier *c, const struct languages *m,
                     const struct classifier_how *how, void *memory, bool fill);

/* Local. True if language l has the gram, as far as this classifier can tell (not
 * by rank). */
bool classifier_has(const struct classifier *c, int l, uint32_t gram);

/* ---- a text ---------------------------------------------------------------------- */

struct reading; /* state of one thread */

/* Local. The bytes of a reading; and its initialization in as many zeros, aligned
 * to 64. */
int64_t reading_memory(const struct classifier *c);
void reading_open(struct reading *t, const struct classifier *c);

/* Local. Takes the next bytes of the text. */
void reading_take(struct reading *t, const void *text, int64_t bytes);

struct reading_verdict {
    int language; /* CLASSIFIER_NONE: none of its grams is known */
    int64_t grams;
    int64_t score; /* grams that the language has; or the distance of ranks */
};

/* Local. Ends the text, and begins the next one. score[languages]: of all languages,
 * or NULL. */
struct reading_verdict reading_end(struct reading *t, int64_t *score);

#endif
