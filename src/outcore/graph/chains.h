/* Reads chunks of PARTITION in rounds: the first chunks of all vertices of a batch, in
 * the order of the file, then the second ones, and so on. Each block is read once in a
 * round, neighbours in one request. */
#ifndef OUTCORE_GRAPH_CHAINS_H
#define OUTCORE_GRAPH_CHAINS_H

#include "outcore/graph/store.h"

struct chains {
    struct store *s;
    const uint64_t *vertex;     /* of the batch, in order */
    int64_t most;               /* vertices of a batch */
    struct pairs place, other;  /* of chunks to be read: offset, number in the batch */
    int64_t n, following;       /* of them, of this round and of the next */
    struct pairs found, sorted; /* number in the batch, neighbour; `sorted`: memory */
    int64_t count, room;        /* of `found` */
    char *window;               /* what was read: window_at .. window_end */
    int64_t window_room, window_at, window_end;
};

/* Local. Bytes of memory that chains_open allocates; what is found takes 32 bytes an
 * entry besides, as it comes. */
int64_t chains_memory(const struct store *s, int64_t most);

/* Local. 0 or -ENOMEM with a sentence; chains_close frees it, also half. */
int chains_open(struct chains *c, struct store *s, int64_t most);
void chains_close(struct chains *c);

/* Local, in a phase. Neighbours of n vertices of this rank, in c->found.value: vertex
 * by vertex, chunk after chunk. Returns how many there are; a failure is kept: a chunk
 * with another CRC or owner, or one that leads out of the file or back. */
int64_t chains_collect(struct chains *c, const uint64_t *vertex, int64_t n);

#endif
