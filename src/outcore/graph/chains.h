/* Reads chunks of PARTITION in rounds: the first chunks of all vertices of a batch, in
 * the order of the file, then the second ones, and so on. Each block is read once in a
 * round, neighbours in one request. */
#ifndef OUTCORE_GRAPH_CHAINS_H
#define OUTCORE_GRAPH_CHAINS_H

#include "outcore/graph/store.h"

struct chains {
    struct store *s;
    const uint64_t *vertex;     /* the batch, in order */
    int64_t most;               /* vertices in a batch */
    struct pairs place, other;  /* chunks to be read: offset, number in the batch */
    int64_t n, following;       /* number of them, in this round and in the next */
    struct pairs found, sorted; /* number in the batch, neighbour; `sorted`: memory */
    int64_t count, room;        /* entries of `found` */
    char *window;               /* bytes window_at .. window_end of the file */
    int64_t window_room, window_at, window_end;
};

/* Local. The bytes that chains_open allocates; neighbours found take 32 bytes each
 * in addition. */
int64_t chains_memory(const struct store *s, int64_t most);

/* Local. Returns 0, or -ENOMEM with a sentence; chains_close frees it, even if it
 * is incomplete. */
int chains_open(struct chains *c, struct store *s, int64_t most);
void chains_close(struct chains *c);

/* Local, in a phase. Collects the neighbours of n vertices of this rank in
 * c->found.value: vertex by vertex, chunk after chunk. Returns their number; a
 * failure is kept: a chunk with another CRC or owner, or one that leads out of the
 * file or back. */
int64_t chains_collect(struct chains *c, const uint64_t *vertex, int64_t n);

#endif
