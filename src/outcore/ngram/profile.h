/* The grams that a text has most often. No MPI, no files. */
#ifndef OUTCORE_NGRAM_PROFILE_H
#define OUTCORE_NGRAM_PROFILE_H

#include <stdint.h>

struct profile_gram {
    uint32_t gram;
    int64_t count;
};

/* Local. count[gram] of `all` grams: the `most` most frequent ones, of equally frequent
 * ones the smaller first, to `to` (as many). Returns how many there are. *distinct: the
 * grams that there are at all. -ENOMEM with a sentence. */
int64_t profile_of(const int64_t *count, int64_t all, struct profile_gram *to,
                   int64_t most, int64_t *distinct);

/* Local. The same order of some, in place. */
void profile_sort(struct profile_gram *is, int64_t n);

#endif
