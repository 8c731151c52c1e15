/* The most frequent grams of a text. No MPI, no files. */
#ifndef OUTCORE_NGRAM_PROFILE_H
#define OUTCORE_NGRAM_PROFILE_H

#include <stdint.h>

struct profile_gram {
    uint32_t gram;
    int64_t count;
};

/* Local. Selects the `most` most frequent of `all` grams by count[gram], of equally
 * frequent ones the smaller first, into `to`. Returns their number. *distinct: the
 * number of grams with a count. -ENOMEM with a sentence. */
int64_t profile_of(const int64_t *count, int64_t all, struct profile_gram *to,
                   int64_t most, int64_t *distinct);

/* Local. Sorts grams in the same order, in place. */
void profile_sort(struct profile_gram *is, int64_t n);

#endif
