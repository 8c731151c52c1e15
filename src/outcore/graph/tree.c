#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/graph/graph500.h"
#include "outcore/graph/search.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- dealing --------------------------------------------------------------------- */

/* Sends edges or vertices to the ranks that own them: rank v mod P has vertex v. It
 * works in rounds, each of which brings a rank no more than it has room for. */

/* The room in items: counts in a message must be below 2^31. */
static int64_t deal_room(const struct run *r, int64_t room)
{
    int64_t ranks = r->world.size;
    room = room < INT32_MAX ? room : INT32_MAX;
    return room / ranks > 0 ? room / ranks * ranks : ranks;
}

int64_t deal_memory(const struct run *r, int words, int64_t room)
{
    if (r->world.size == 1)
        return 0;
    return 2 * deal_room(r, room) * 8 * words + 16 * (int64_t)r->world.size;
}

int deal_open(struct deal *d, struct run *r, int words, int64_t room)
{
    void *memory = NULL;
    *d = (struct deal){.r = r, .words = words, .room = deal_room(r, room)};
    MPI_Type_contiguous(words, MPI_UINT64_T, &d->item);
    MPI_Type_commit(&d->item);
    if (r->world.size == 1)
        return 0;
    int rc = buf_alloc(&memory, deal_memory(r, words, room), "what ranks exchange");
    d->out = memory;
    d->send = mem_new(4 * r->world.size, sizeof *d->send, "the ranks' exchange");
    if (!rc && !d->send)
        rc = -ENOMEM;
    if (rc)
        return rc;
    d->in = d->out + d->room * words;
    d->send_at = d->send + r->world.size;
    d->got = d->send_at + r->world.size;
    d->got_at = d->got + r->world.size;
    return 0;
}

void deal_close(struct deal *d)
{
    if (d->words)
        MPI_Type_free(&d->item);
    buf_free(d->out);
    free(d->send);
    *d = (struct deal){.words = 0};
}

int64_t deal_most(const struct deal *d)
{
    return d->room / d->r->world.size;
}

static int owner_of(const struct deal *d, uint64_t vertex)
{
    return (int)(vertex % (uint64_t)d->r->world.size);
}

/* Sorts items by owners, keeping their order otherwise. */
static void tree_sort_out(struct deal *d, const uint64_t *item, int64_t n)
{
    int ranks = d->r->world.size, at = 0;
    memset(d->send, 0, (size_t)ranks * sizeof *d->send);
    for (int64_t i = 0; i < n; i++)
        d->send[owner_of(d, item[i * d->words])]++;
    for (int k = 0; k < ranks; k++) {
        d->send_at[k] = at;
        at += d->send[k];
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t to = d->send_at[owner_of(d, item[i * d->words])]++;
        memcpy(d->out + to * d->words, item + i * d->words, (size_t)d->words * 8);
    }
    for (int k = 0; k < ranks; k++)
        d->send_at[k] -= d->send[k];
}

int64_t deal_round(struct deal *d, const uint64_t *item, int64_t n,
                   const uint64_t **came)
{
    struct run *r = d->r;
    int64_t all = 0;
    if (r->world.size == 1) {
        *came = item;
        return n;
    }
    tree_sort_out(d, item, n);
    enum act before = phase_act(r->phase, ACT_COMMUNICATE);
    MPI_Alltoall(d->send, 1, MPI_INT, d->got, 1, MPI_INT, r->world.comm);
    for (int k = 0; k < r->world.size; k++) {
        d->got_at[k] = (int)all;
        all += d->got[k];
    }
    MPI_Alltoallv(d->out, d->send, d->send_at, d->item, d->in, d->got, d->got_at,
                  d->item, r->world.comm);
    phase_act(r->phase, before);
    *came = d->in;
    return all;
}

bool deal_any(const struct deal *d, bool mine)
{
    int any = mine;
    enum act before = phase_act(d->r->phase, ACT_COMMUNICATE);
    if (d->r->world.size > 1)
        world_reduce(d->r->world.comm, &any, 1, MPI_INT, MPI_MAX);
    phase_act(d->r->phase, before);
    return any;
}

enum { WORDS = 3, ROOM = 1 << 17 };

/* An exchange between ranks. A question goes to the owner of its first vertex, and the
 * answer to the owner of its own first vertex. Each function is called on the rank that
 * has the item. */
struct asking {
    bool (*next)(struct tree *t, uint64_t *item);
    void (*answer)(struct tree *t, uint64_t *item);
    void (*take)(struct tree *t, const uint64_t *item);
};

/* ---- memory ---------------------------------------------------------------------- */

static int64_t room_of(const struct run *r)
{
    return ROOM < r->world.size ? r->world.size : ROOM;
}

static int64_t bits_bytes(const struct store *s)
{
    return units_div_up(store_vertices(s) + 1, 64) * 8;
}

int64_t tree_memory(const struct store *s)
{
    return deal_memory(s->r, WORDS, room_of(s->r)) + 2 * room_of(s->r) * WORDS * 8 +
           2 * 8 * (store_vertices(s) + 1) + bits_bytes(s);
}

int tree_open(struct tree *t, struct search *q, struct edges *edges)
{
    struct run *r = q->s->r;
    size_t vertices = (size_t)store_vertices(q->s) + 1;
    *t = (struct tree){.q = q, .edges = edges};
    int rc = deal_open(&t->deal, r, WORDS, room_of(r));
    if (rc)
        return rc;
    t->room = deal_most(&t->deal);
    t->item = mem_new(room_of(r), WORDS * 8, "checking trees");
    t->reply = mem_new(room_of(r), WORDS * 8, "checking trees");
    t->above = mem_new(vertices, 8, "checking trees");
    t->level = mem_new(vertices, 8, "checking trees");
    t->joined = mem_new(bits_bytes(q->s), 1, "checking trees");
    if (t->item && t->reply && t->above && t->level && t->joined)
        return 0;
    return -ENOMEM;
}

void tree_close(struct tree *t)
{
    deal_close(&t->deal);
    free(t->item);
    free(t->reply);
    free(t->above);
    free(t->level);
    free(t->joined);
    *t = (struct tree){.q = NULL};
}

/* ---- questions between ranks ----------------------------------------------------- */

static int64_t tree_place_of(const struct tree *t, uint64_t vertex)
{
    return (int64_t)(vertex / (uint64_t)t->q->s->r->world.size);
}

static uint64_t vertex_at(const struct tree *t, int64_t i)
{
    const struct run *r = t->q->s->r;
    return (uint64_t)i * (uint64_t)r->world.size + (uint64_t)r->world.rank;
}

static void send_replies(struct tree *t, const struct asking *how, int64_t n)
{
    const uint64_t *came;
    int64_t done = 0;
    do {
        int64_t part = n - done < t->room ? n - done : t->room;
        int64_t got = deal_round(&t->deal, t->reply + done * WORDS, part, &came);
        for (int64_t i = 0; i < got; i++)
            how->take(t, came + i * WORDS);
        done += part;
    } while (deal_any(&t->deal, done < n));
}

/* **Collective.** Exchanges questions and answers until no rank has one left. */
static void ask(struct tree *t, const struct asking *how)
{
    struct run *r = t->q->s->r;
    const uint64_t *came;
    bool more = true;
    t->at = 0;
    do {
        int64_t n = 0;
        while (more && n < t->room) {
            more = !r->failed && how->next(t, t->item + n * WORDS);
            n += more;
        }
        int64_t got = deal_round(&t->deal, t->item, n, &came);
        memcpy(t->reply, came, (size_t)got * WORDS * 8);
        for (int64_t i = 0; i < got; i++)
            how->answer(t, t->reply + i * WORDS);
        send_replies(t, how, got);
    } while (deal_any(&t->deal, more));
}

static void tree_wrong(const struct tree *t, int check, uint64_t vertex,
                       const char *what, uint64_t other)
{
    run_fail(t->q->s->r,
             err_set(-EIO, NULL, -1,
                     "check %d of the tree from vertex %llu: vertex %llu %s %llu",
                     check, (unsigned long long)t->q->root, (unsigned long long)vertex,
                     what, (unsigned long long)other));
}

/* ---- 1: levels ------------------------------------------------------------------- */

/* Finds the next vertex whose path to the root is not completely known. */
static bool next_unknown(struct tree *t, uint64_t *item)
{
    int64_t vertices = store_vertices(t->q->s);
    for (; t->at < vertices; t->at++) {
        uint64_t above = t->above[t->at];
        if (above == SEARCH_NONE || above == t->q->root)
            continue;
        item[0] = above;
        item[1] = vertex_at(t, t->at++);
        item[2] = 0;
        t->any = true;
        return true;
    }
    return false;
}

static void answer_above(struct tree *t, uint64_t *item)
{
    int64_t i = tree_place_of(t, item[0]);
    uint64_t vertex = item[1];
    item[1] = t->above[i];
    item[2] = t->level[i];
    item[0] = vertex;
}

/* Doubles a known path. */
static void take_above(struct tree *t, const uint64_t *item)
{
    int64_t i = tree_place_of(t, item[0]);
    if (item[1] == SEARCH_NONE) {
        tree_wrong(t, 1, item[0], "is below one that is not in the tree, vertex",
                   t->above[i]);
        return;
    }
    t->above[i] = item[1];
    t->level[i] += item[2];
}

static void start_levels(struct tree *t)
{
    struct search *q = t->q;
    int64_t vertices = store_vertices(q->s);
    for (int64_t i = 0; i < vertices; i++) {
        t->above[i] = q->parent[i];
        t->level[i] = q->parent[i] == SEARCH_NONE ? SEARCH_NONE : 1;
    }
    if (q->root % (uint64_t)q->s->r->world.size != (uint64_t)q->s->r->world.rank)
        return;
    int64_t i = tree_place_of(t, q->root);
    if (q->parent[i] != q->root)
        tree_wrong(t, 1, q->root, "is the root, and its parent is", q->parent[i]);
    t->level[i] = 0;
}

/* Finds all levels. Paths double in each round (J. C. Wyllie, "The complexity of
 * parallel computations", 1979, on lists): one that does not end although it is longer
 * than the number of vertices is a circle. */
static void find_levels(struct tree *t)
{
    static const struct asking how = {next_unknown, answer_above, take_above};
    struct run *r = t->q->s->r;
    start_levels(t);
    bool more = true;
    for (uint64_t length = 1; more && length / 2 <= t->q->s->vertices; length *= 2) {
        t->any = false;
        ask(t, &how);
        more = deal_any(&t->deal, t->any && !r->failed);
    }
    if (!more || r->failed)
        return;
    for (int64_t i = 0; i < store_vertices(t->q->s) && !r->failed; i++)
        if (t->above[i] != SEARCH_NONE && t->above[i] != t->q->root)
            tree_wrong(t, 1, vertex_at(t, i),
                       "is in a circle, or leads to one, with vertex", t->above[i]);
}

/* ---- 2: parents ------------------------------------------------------------------ */

static bool next_parent(struct tree *t, uint64_t *item)
{
    const struct search *q = t->q;
    int64_t vertices = store_vertices(q->s);
    for (; t->at < vertices; t->at++) {
        uint64_t vertex = vertex_at(t, t->at);
        if (q->parent[t->at] == SEARCH_NONE || vertex == q->root)
            continue;
        item[0] = q->parent[t->at++];
        item[1] = vertex;
        item[2] = 0;
        return true;
    }
    return false;
}

/* Answers questions of parents and edges: the other end, and its level. */
static void answer_level(struct tree *t, uint64_t *item)
{
    uint64_t vertex = item[0];
    item[0] = item[1];
    item[1] = vertex;
    item[2] = t->level[tree_place_of(t, vertex)];
}

static void take_parent(struct tree *t, const uint64_t *item)
{
    uint64_t level = t->level[tree_place_of(t, item[0])];
    if (level != item[2] + 1)
        tree_wrong(t, 2, item[0],
                   "is not on the level below that of its parent, vertex", item[1]);
    if ((int64_t)level >= t->levels)
        t->levels = (int64_t)level + 1;
}

/* ---- 3, 4, 5: edges -------------------------------------------------------------- */

static bool next_edge(struct tree *t, uint64_t *item)
{
    item[2] = 0;
    return edges_next(t->q->s->r, t->edges, item, 1) == 1;
}

static void take_edge(struct tree *t, const uint64_t *item)
{
    int64_t i = tree_place_of(t, item[0]);
    uint64_t here = t->level[i], there = item[2];
    if ((here == SEARCH_NONE) != (there == SEARCH_NONE)) {
        tree_wrong(t, 4, here == SEARCH_NONE ? item[0] : item[1],
                   "is not in the tree, and has an edge to one that is, vertex",
                   here == SEARCH_NONE ? item[1] : item[0]);
        return;
    }
    if (here == SEARCH_NONE)
        return;
    t->inside++;
    if (here > there + 1 || there > here + 1)
        tree_wrong(
            t, 3, item[0],
            "is on a level more than one away from that of its neighbour, vertex",
            item[1]);
    if (t->q->parent[i] == item[1])
        t->joined[i / 64] |= UINT64_C(1) << i % 64;
}

static void check_joined(struct tree *t)
{
    const struct search *q = t->q;
    int64_t vertices = store_vertices(q->s);
    for (int64_t i = 0; i < vertices && !q->s->r->failed; i++)
        if (q->parent[i] != SEARCH_NONE && vertex_at(t, i) != q->root &&
            !(t->joined[i / 64] >> i % 64 & 1))
            tree_wrong(t, 5, vertex_at(t, i), "has no edge to its parent, vertex",
                       q->parent[i]);
}

void tree_check(struct tree *t)
{
    static const struct asking parents = {next_parent, answer_level, take_parent};
    static const struct asking edges = {next_edge, answer_level, take_edge};
    struct run *r = t->q->s->r;
    t->inside = 0;
    t->levels = 1;
    memset(t->joined, 0, (size_t)bits_bytes(t->q->s));
    find_levels(t);
    if (deal_any(&t->deal, r->failed))
        return;
    ask(t, &parents);
    if (deal_any(&t->deal, r->failed))
        return;
    edges_open(r, t->edges);
    ask(t, &edges);
    edges_close(r, t->edges);
    check_joined(t);
}
