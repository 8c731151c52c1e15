/* Documents from a seed: many small text files, with the sizes of news stories. A
 * document is computed from its number alone. It is XML in the form of Reuters-21578
 * (date, title, dateline, body), of made-up words by Zipf's law; each 20th one is a
 * table of numbers. No MPI, no files. */
#ifndef OUTCORE_DATA_DOCUMENTS_H
#define OUTCORE_DATA_DOCUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define DOCUMENTS_WORDS 4096
#define DOCUMENTS_DRAWN 65536

struct documents {
    int64_t n;
    int64_t size; /* of each; 0: unequal, as those of a news agency */
    uint64_t sizes_key, words_key;
    const char *const *phrase; /* planted among the words; NULL: none */
    int64_t phrases;
    uint16_t word[DOCUMENTS_DRAWN]; /* by the 16 bits drawn */
};

/* Local. Prepares n >= 1 documents of a seed; `version` 0..: other words, the
 * same sizes. */
void documents_prepare(struct documents *d, int64_t n, int64_t size, uint64_t seed,
                       int version);

/* Local, any thread. The bytes of document i, 0 .. n - 1. If sizes are unequal,
 * document i has the quantile whose number a permutation by the seed gives it; the
 * total is the same for any seed. */
int64_t documents_size(const struct documents *d, int64_t i);

/* Local. The bytes of the largest one, and of all; -1: more than 2^63 - 1. O(n). */
int64_t documents_most(const struct documents *d);
int64_t documents_bytes(const struct documents *d);

/* Local, any thread. Makes document i; there must be room for its bytes. Those of fewer
 * than DOCUMENTS_MARKED bytes are words only. */
#define DOCUMENTS_MARKED 256
void documents_make(const struct documents *d, int64_t i, void *to);

/* Local, any thread. Makes document i, and reports each phrase in it, in order: its
 * offset in the document, and its number. On average there is one phrase for each
 * DOCUMENTS_PLANTED words of running text, between two blanks or line ends. */
#define DOCUMENTS_PLANTED 32
typedef void documents_tell(void *context, int64_t at, int64_t phrase);
void documents_truth(const struct documents *d, int64_t i, void *to,
                     documents_tell *tell, void *context);

/* ---- taggers --------------------------------------------------------------------- */

/* Models for outcore text's CRF and maximum entropy module, from a seed: of any size,
 * with lines of equal length, each computed from its number alone. Their weights are
 * random, so their results mean nothing; but the words of `outcore gen documents` have
 * features, and look-ups, sums and labels cost as much as with a trained model. No MPI,
 * no files. */

#define TAGGER_LINE 32 /* bytes of each row; the first two rows are the head */

struct tagger {
    uint64_t key; /* rng_key(seed, RNG_TAGGERS) */
    bool maxent;  /* else CRF */
};

/* Local. Makes rows first .. first + n - 1, back to back in `to`. */
void tagger_make(const struct tagger *t, int64_t first, int64_t n, void *to);

#endif
