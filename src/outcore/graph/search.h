/* Levels of a graph on disk from one vertex on, after the study of 2007, section 3.3.2:
 * two queues in files ("semi-external"), of which one holds a level and the other gets
 * the next, and a bitmap in memory of what was visited. */
#ifndef OUTCORE_GRAPH_SEARCH_H
#define OUTCORE_GRAPH_SEARCH_H

#include "outcore/data/written.h"
#include "outcore/graph/chains.h"
#include "outcore/graph/deal.h"

#define SEARCH_NONE UINT64_MAX

struct search {
    struct store *s;
    uint64_t root;
    int64_t batch; /* entries of the queue */
    bool early;    /* what was visited is not queued */
    bool tree;     /* entries of queues say which vertex each was found from */

    struct chains chains; /* in chunks */
    struct deal deal;
    struct run_file queue[2];
    struct written sums[2]; /* of each */
    bool made; /* there was a search in this repetition: the queues are there */
    struct run_stream *out;
    const char *piece; /* of what is read, and how many bytes of it are left */
    int64_t piece_left;
    uint64_t *visited;         /* bits, of this rank's vertices */
    uint64_t *before;          /* the same, without what this batch has visited */
    struct pairs taken, other; /* of the queue: vertex, and with `tree` its parent */
    struct deal pairs;         /* with `tree`: (neighbour, vertex) on their way */
    uint64_t *pair;            /* deal_most of them */
    uint64_t *list_end;        /* where in a batch's neighbours each list ends */
    uint64_t *parent;          /* of this rank's vertices, or SEARCH_NONE */
    uint64_t *level_size;      /* of all ranks; level_room of them */
    int64_t levels, level_room;
    int64_t collected;    /* neighbours, of this rank */
    int64_t queued, read; /* entries written to and read from queues, of this rank */
};

/* Local. Bytes of memory of a rank, but for a batch's neighbours (chains.h). */
int64_t search_memory(const struct search *q, int64_t room);

/* Local. Settings above are set; room: items that ranks exchange at once. 0 or -ENOMEM
 * with a sentence; search_close frees it, also half. */
int search_open(struct search *q, int64_t room);
void search_close(struct search *q);

/* Local, in each repetition. Names the queues. */
void search_name(struct search *q);

/* **Collective**, in a phase, with the store's files open. A failure is kept. */
void search_run(struct search *q);

/* **Collective**, outside of phases: phase `search`, which is that, and moves as many
 * bytes as it is to. Returns the agreed verdict. */
int search_phase(struct search *q);

/* Local, in a phase, with the store's files open to be read. Neighbours of n vertices
 * of this rank, in order in q->taken.key: in *found, vertex by vertex, until the next
 * call; with `tree`, q->list_end says where each list ends. Returns how many there are;
 * a failure is kept. */
int64_t search_collect(struct search *q, int64_t n, const uint64_t **found);

/* Local. Bytes of an entry of a queue. */
static inline int64_t search_entry(const struct search *q)
{
    return q->tree ? 16 : 8;
}

/* **Collective.** Removes the queues, unless --keep. Returns the agreed verdict. */
int search_remove(struct search *q);

/* Local. Whether a vertex of this rank was visited. */
static inline bool search_visited(const struct search *q, uint64_t vertex)
{
    uint64_t i = vertex / (uint64_t)q->s->r->world.size;
    return q->visited[i / 64] >> i % 64 & 1;
}

#endif
