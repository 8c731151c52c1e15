/* Counts for some masks how many have each bit set: sums of all bits together, as
 * binary numbers whose digits are in separate words (carry-save adders, after Harley
 * and Seal). A mask is a part of a word. No MPI, no files. */
#ifndef OUTCORE_NGRAM_TALLY_H
#define OUTCORE_NGRAM_TALLY_H

#include <stdint.h>

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

#endif
