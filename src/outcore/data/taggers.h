/* Models for outcore text's CRF and maximum entropy module, from a seed: of any size,
 * with lines of equal length, each computed from its number alone. Their weights are
 * random, so their results mean nothing; but the words of `outcore gen documents` have
 * features, and look-ups, sums and labels cost as much as with a trained model. No MPI,
 * no files. */
#ifndef OUTCORE_DATA_TAGGERS_H
#define OUTCORE_DATA_TAGGERS_H

#include <stdbool.h>
#include <stdint.h>

#define TAGGER_LINE 32 /* bytes of each row; the first two rows are the head */

struct tagger {
    uint64_t key; /* rng_key(seed, RNG_TAGGERS) */
    bool maxent;  /* else CRF */
};

/* Local. Makes rows first .. first + n - 1, back to back in `to`. */
void tagger_make(const struct tagger *t, int64_t first, int64_t n, void *to);

#endif
