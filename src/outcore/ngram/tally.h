/* How many of some masks have each of their bits set: sums of all bits at once, as
 * binary numbers whose digits lie in words of their own (carry-save adders, after
 * Harley and Seal). A mask is a part of a word. No MPI, no files. */
#ifndef OUTCORE_NGRAM_TALLY_H
#define OUTCORE_NGRAM_TALLY_H

#include <stdint.h>

enum {
    TALLY_AT_ONCE = 16, /* words */
    TALLY_DIGITS = 62
};

struct tally {  /* all zeros: nothing */
    int digits; /* of sixteen's and above, that are not 0 */
    uint64_t digit[TALLY_DIGITS];
};

/* Local. Nothing has been counted. */
void tally_begin(struct tally *t);

/* Local. Adds the masks in so many words, a multiple of TALLY_AT_ONCE. */
void tally_add(struct tally *t, const uint64_t *word, int64_t words);

/* Local. Of masks of `bits` (8, 16, 32, 64), how many had bit i. */
int64_t tally_sum(const struct tally *t, int bits, int i);

#endif
