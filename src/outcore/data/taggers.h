/* Models for outcore text's CRF and maximum entropy module, from a seed: as large as is
 * asked for, of lines of one length, each computed from its number alone. Their weights
 * are random, so what they find means nothing; but the words of `outcore gen documents`
 * have features, and look-ups, sums and labels cost what they cost with a model that
 * was trained. No MPI, no files. */
#ifndef OUTCORE_DATA_TAGGERS_H
#define OUTCORE_DATA_TAGGERS_H

#include <stdbool.h>
#include <stdint.h>

#define TAGGER_LINE 32 /* bytes of each row; the first two are the head */

struct tagger {
    uint64_t key; /* rng_key(seed, RNG_TAGGERS) */
    bool maxent;  /* no CRF */
};

/* Local. Rows first .. first + n - 1, back to back in `to`. */
void tagger_make(const struct tagger *t, int64_t first, int64_t n, void *to);

#endif
