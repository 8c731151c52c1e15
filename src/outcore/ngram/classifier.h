/* Which language a text is of, by the grams that it shares with each: by a table of all
 * grams with the languages that have each, by Bloom filters instead of it, or by the
 * ranks of its most frequent grams (Cavnar and Trenkle 1994). No MPI, no files. */
#ifndef OUTCORE_NGRAM_CLASSIFIER_H
#define OUTCORE_NGRAM_CLASSIFIER_H

#include "outcore/ngram/languages.h"
#include "outcore/ngram/tally.h"

enum method { METHOD_TABLE, METHOD_BLOOM, METHOD_RANK };

struct classifier_how {
    enum method method;
    bool latin1;
    int64_t bloom_bits; /* of each hash function's vector of a language: a power of 2 */
    int hashes;         /* up to CLASSIFIER_HASHES */
    int64_t ranks;      /* grams of a text, and of a language, that have one */
};

enum { CLASSIFIER_HASHES = 8, CLASSIFIER_RANKS = 60000, CLASSIFIER_NONE = -1 };

struct classifier {
    struct classifier_how how;
    int n, languages;
    int bytes;     /* of a mask of languages: 2, 4 or 8 */
    void *memory;  /* what is looked up: read by any number of threads */
    int64_t known; /* rank: grams that a language has */
};

/* Local. Bytes of what is looked up, with that model. */
int64_t classifier_memory(const struct languages *m, const struct classifier_how *how);

/* Local. A classifier that uses `memory`, of so many bytes, which are zeros and which
 * `fill` fills, or which another process has filled likewise. */
void classifier_make(struct classifier *c, const struct languages *m,
                     const struct classifier_how *how, void *memory, bool fill);

/* Local. Whether language l has the gram, as far as this classifier can tell (not by
 * rank). */
bool classifier_has(const struct classifier *c, int l, uint32_t gram);

/* ---- a text ---------------------------------------------------------------------- */

struct reading; /* of one thread */

/* Local. Memory of one; and its begin in so many zeros, aligned to 64. */
int64_t reading_memory(const struct classifier *c);
void reading_open(struct reading *t, const struct classifier *c);

/* Local. The next bytes of the text. */
void reading_take(struct reading *t, const void *text, int64_t bytes);

struct reading_verdict {
    int language; /* CLASSIFIER_NONE: none of its grams is known */
    int64_t grams;
    int64_t score; /* of that language: grams that it has; or the distance of ranks */
};

/* Local. The text is complete, and the next one begins. score[languages]: of all, or
 * NULL. */
struct reading_verdict reading_end(struct reading *t, int64_t *score);

#endif
