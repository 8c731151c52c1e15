/* Look-ups of all ranks, each sent to the rank that has the index of its key's part of
 * the file, as in a distributed store; in rounds of a fixed size.
 *
 * Memory of a rank: a round's keys of its own and, at worst, of all ranks: some 64 Ki
 * keys, or 64 per rank if there are more than 1024. */
#ifndef OUTCORE_SEARCH_SHARE_H
#define OUTCORE_SEARCH_SHARE_H

#include "outcore/search/build.h"
#include "outcore/search/lookups.h"

struct share_round { /* for each rank: number of keys to or from it, and their place */
    int *count, *at;
};

struct share {
    const struct build *build; /* its ranks' records determine the owners */
    int64_t key_bytes, batch;  /* keys that a rank sends in a round */
    MPI_Datatype key;
    char *out_keys, *in_keys;
    int64_t *out_answers, *in_answers;
    int64_t *number; /* number in the batch of the key at each place */
    struct share_round out, in;
    int *who, who_n; /* the ranks with pages */
};

/* Local. The bytes of memory for `ranks` ranks; 0 for one. */
int64_t share_bytes(int ranks, int64_t key_bytes);

/* Local. Open and close it. Returns 0, or -ENOMEM with a sentence. */
int share_open(struct share *s, const struct build *b, int ranks);
void share_close(struct share *s);

/* **Collective**, in a phase. Finds the answers to this rank's n keys. A failure
 * is kept. */
void share_look_up(struct run *r, struct share *s, struct lookups *l, const char *keys,
                   int64_t n, int64_t *answer);

#endif
