/* Assigns records to ranks: a range of keys for each, between splitters that are taken
 * from samples. A splitter is a key and a place in the input, so that equal keys can go
 * to several ranks, in the order of their places. No MPI, no files. */
#ifndef OUTCORE_SORT_SPLITTERS_H
#define OUTCORE_SORT_SPLITTERS_H

#include "sort/order.h"

struct splitters {
    struct sort_order order; /* of keys as in samples */
    int64_t key_at;          /* of records */
    int ranks;
    char *splitter; /* ranks - 1 samples, set by the caller */
};

/* Local. Prepares splitters of this order; the caller allocates splitters_bytes
 * for s->splitter. */
void splitters_start(struct splitters *s, const struct sort_order *of, int ranks);
int64_t splitters_bytes(const struct splitters *s);

/* Local. The number of samples that each rank takes of n records: 32 for each rank, but
 * over all ranks not more than 2^18, or 32 per rank. */
int64_t splitters_samples(int ranks, int64_t n);

/* Local. The place in the input of sample i of rank `rank`: they are evenly spread. */
int64_t splitters_place(int ranks, int64_t n, int rank, int64_t i);

/* Local. The bytes of a sample: its key and its place; and makes one, from a
 * record's key. */
int64_t splitters_sample_bytes(const struct splitters *s);
void splitters_sample(const struct splitters *s, const void *key, int64_t place,
                      void *sample);

/* Local. Chooses from all n samples of all ranks, in the order of ranks. e: room for
 * n entries. */
void splitters_choose(struct splitters *s, const void *samples, int64_t n,
                      struct sort_entry *e);

/* Local, any thread. The rank of the record at this place of the input. */
int splitters_rank(const struct splitters *s, const void *record, int64_t place);

#endif
