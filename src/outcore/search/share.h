/* Look-ups of all ranks, each sent to the rank that has the index of the part of the
 * file where its key belongs, as to a distributed store; in rounds of a fixed size.
 *
 * Memory of a rank: a round's keys of its own and, if the worst comes, of all ranks:
 * some 64 Ki keys, or 64 of each rank where there are more than 1024. */
#ifndef OUTCORE_SEARCH_SHARE_H
#define OUTCORE_SEARCH_SHARE_H

#include "outcore/search/build.h"
#include "outcore/search/lookups.h"

struct
    share_round { /* of each rank: how many go there, or come from there, and where */
    int *count, *at;
};

struct share {
    const struct build *build; /* whose ranks say who has what */
    int64_t key_bytes, batch;  /* keys that a rank sends in a round */
    MPI_Datatype key;
    char *out_keys, *in_keys;
    int64_t *out_answers, *in_answers;
    int64_t *number; /* of the key of the batch that stands at each place */
    struct share_round out, in;
    int *who, who_n; /* the ranks that have pages */
};

/* Local. Memory in bytes for so many ranks; 0 for one. */
int64_t share_bytes(int ranks, int64_t key_bytes);

/* Local, and its end. 0 or -ENOMEM with a sentence. */
int share_open(struct share *s, const struct build *b, int ranks);
void share_close(struct share *s);

/* **Collective**, in a phase. Finds the answers to this rank's n keys. A failure is
 * kept. */
void share_look_up(struct run *r, struct share *s, struct lookups *l, const char *keys,
                   int64_t n, int64_t *answer);

#endif
