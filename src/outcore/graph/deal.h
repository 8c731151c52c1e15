/* Sends edges or vertices to the ranks that own them: rank v mod P has vertex v. It
 * works in rounds, each of which brings a rank no more than it has room for. */
#ifndef OUTCORE_GRAPH_DEAL_H
#define OUTCORE_GRAPH_DEAL_H

#include "run/run.h"

struct deal {
    struct run *r;
    int words; /* words of an item: 1, a vertex; 2, an edge, sent to its first
                * end's owner */
    int64_t room;
    uint64_t *out, *in; /* `room` items each */
    int *send, *send_at, *got, *got_at;
    MPI_Datatype item;
};

/* Local. The bytes of memory for this room; with one rank nothing is copied. */
int64_t deal_memory(const struct run *r, int words, int64_t room);

/* Local. Returns 0, or -ENOMEM with a sentence. deal_close frees it, even if it
 * is incomplete. */
int deal_open(struct deal *d, struct run *r, int words, int64_t room);
void deal_close(struct deal *d);

/* Local. The most items that a rank may pass to a round. */
int64_t deal_most(const struct deal *d);

/* **Collective**, in a phase. Sends n <= deal_most items of this rank to their
 * owners. Returns the number received, in *came until the next call, ordered by
 * their senders. */
int64_t deal_round(struct deal *d, const uint64_t *item, int64_t n,
                   const uint64_t **came);

/* **Collective**, in a phase. True if `mine` is true on any rank. */
bool deal_any(const struct deal *d, bool mine);

#endif
