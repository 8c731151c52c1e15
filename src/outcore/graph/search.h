/* Searches a graph on disk level by level from one vertex, after the study of 2007,
 * section 3.3.2: two queues in files ("semi-external"), one with the present level and
 * the other for the next, and a bitmap in memory of visited vertices. */
#ifndef OUTCORE_GRAPH_SEARCH_H
#define OUTCORE_GRAPH_SEARCH_H

#include "outcore/data/consume.h"
#include "outcore/graph/store.h"
#include "run/run.h"

/* ---- chains ---------------------------------------------------------------------- */

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

/* ---- vertices dealt to ranks ----------------------------------------------------- */

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

/* ---- the search ------------------------------------------------------------------ */

#define SEARCH_NONE UINT64_MAX

struct search {
    struct store *s;
    uint64_t root;
    int64_t batch; /* entries of a queue in a batch */
    bool early;    /* visited vertices are not queued */
    bool tree;     /* entries of queues include the vertex that they were found from */

    struct chains chains; /* for the layout in chunks */
    struct deal deal;
    struct run_file queue[2];
    struct written sums[2]; /* of each queue */
    bool made;              /* this repetition has searched: the queues exist */
    struct run_stream *out;
    const char *piece; /* of the queue read, and its bytes left */
    int64_t piece_left;
    uint64_t *visited;         /* bits, of this rank's vertices */
    uint64_t *before;          /* `visited` before this batch */
    struct pairs taken, other; /* entries of the queue: vertex, and with `tree`
                                * its parent */
    struct deal pairs;         /* with `tree`: sends (neighbour, vertex) */
    uint64_t *pair;            /* deal_most pairs */
    uint64_t *list_end;        /* the end of each list in a batch's neighbours */
    uint64_t *parent;          /* of this rank's vertices, or SEARCH_NONE */
    uint64_t *level_size;      /* over all ranks; level_room entries */
    int64_t levels, level_room;
    int64_t collected;    /* neighbours collected by this rank */
    int64_t queued, read; /* entries written to and read from queues by this rank */
};

/* Local. The bytes of memory of a rank, without a batch's neighbours (chains.c). */
int64_t search_memory(const struct search *q, int64_t room);

/* Local, when the members above are set; room: items that ranks exchange at a
 * time. Returns 0, or -ENOMEM with a sentence; search_close frees it, even if it
 * is incomplete. */
int search_open(struct search *q, int64_t room);
void search_close(struct search *q);

/* Local, in each repetition. Names the queues. */
void search_name(struct search *q);

/* **Collective**, in a phase, with the store's files open. Searches. A failure
 * is kept. */
void search_run(struct search *q);

/* **Collective**, outside of phases. Searches in phase `search`, and checks the bytes
 * moved. Returns the agreed verdict. */
int search_phase(struct search *q);

/* Local, in a phase, with the store's files open for reading. Collects the neighbours
 * of n vertices of this rank, in order in q->taken.key: in *found, vertex by vertex,
 * until the next call; with `tree`, q->list_end has the end of each list. Returns their
 * number; a failure is kept. */
int64_t search_collect(struct search *q, int64_t n, const uint64_t **found);

/* Local. The bytes of an entry of a queue. */
static inline int64_t search_entry(const struct search *q)
{
    return q->tree ? 16 : 8;
}

/* **Collective.** Removes the queues, unless --keep. Returns the agreed verdict. */
int search_remove(struct search *q);

/* Local. True if a vertex of this rank was visited. */
static inline bool search_visited(const struct search *q, uint64_t vertex)
{
    uint64_t i = vertex / (uint64_t)q->s->r->world.size;
    return q->visited[i / 64] >> i % 64 & 1;
}

#endif
