#include "outcore/graph/search.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/stamp.h"
#include "base/units.h"
#include "outcore/graph/store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_LEVELS = 64,
    PAIR = 16,
    EARLY = 512,    /* numbers appended to a queue at a time */
    PAIRS = 1 << 18 /* exchanged between ranks at a time */
};

/* ---- memory ---------------------------------------------------------------------- */

static int64_t bitmap_bytes(const struct search *q)
{
    return units_div_up(store_vertices(q->s) + 1, 64) * 8;
}

static bool in_rows(const struct search *q)
{
    return q->s->layout == &store_csr;
}

static int64_t pairs_room(const struct search *q)
{
    return PAIRS < q->s->r->world.size ? q->s->r->world.size : PAIRS;
}

static int64_t parents_memory(const struct search *q)
{
    const struct run *r = q->s->r;
    if (!q->tree)
        return 0;
    return deal_memory(r, 2, pairs_room(q)) + pairs_room(q) * PAIR + q->batch * 8 +
           store_vertices(q->s) * 8;
}

int64_t search_memory(const struct search *q, int64_t room)
{
    int64_t batch =
        in_rows(q) ? csr_batch_memory(q->batch) : chains_memory(q->s, q->batch);
    return batch + parents_memory(q) + deal_memory(q->s->r, 1, room) +
           2 * bitmap_bytes(q) + q->batch * 32 +
           2 * graph_slots(q->s->r) * q->s->request;
}

static int open_parents(struct search *q)
{
    int rc = deal_open(&q->pairs, q->s->r, 2, pairs_room(q));
    int64_t vertices = store_vertices(q->s);
    if (rc)
        return rc;
    q->pair = mem_new(pairs_room(q), PAIR, "the parents of vertices");
    q->list_end = mem_new(q->batch, 8, "the parents of vertices");
    q->parent = mem_new(vertices + 1, 8, "the parents of vertices");
    if (q->pair && q->list_end && q->parent)
        return 0;
    return -ENOMEM;
}

int search_open(struct search *q, int64_t room)
{
    int rc = in_rows(q) ? csr_batch_open(q->s, q->batch)
                        : chains_open(&q->chains, q->s, q->batch);
    if (!rc)
        rc = deal_open(&q->deal, q->s->r, 1, room);
    if (rc)
        return rc;
    q->visited = mem_new(2 * bitmap_bytes(q), 1, "a bitmap of vertices");
    q->taken.key = mem_new(q->batch, 32, "a bitmap of vertices");
    q->level_size =
        mem_new(FIRST_LEVELS, sizeof *q->level_size, "a bitmap of vertices");
    q->level_room = FIRST_LEVELS;
    if (!q->visited || !q->taken.key || !q->level_size)
        return -ENOMEM;
    q->before = q->visited + bitmap_bytes(q) / 8;
    q->taken.value = q->taken.key + q->batch;
    q->other.key = q->taken.value + q->batch;
    q->other.value = q->other.key + q->batch;
    return q->tree ? open_parents(q) : 0;
}

void search_close(struct search *q)
{
    uint64_t *first = q->taken.key;
    if (q->other.key && q->other.key < first)
        first = q->other.key;
    free(first);
    free(q->visited);
    free(q->level_size);
    chains_close(&q->chains);
    deal_close(&q->deal);
    deal_close(&q->pairs);
    free(q->pair);
    free(q->list_end);
    free(q->parent);
    written_free(&q->sums[0]);
    written_free(&q->sums[1]);
    q->pair = q->list_end = q->parent = NULL;
    q->taken.key = q->other.key = NULL;
    q->visited = NULL;
    q->level_size = NULL;
}

void search_name(struct search *q)
{
    struct run *r = q->s->r;
    char path[sizeof q->queue->path], which[32];
    q->made = false;
    for (int i = 0; i < 2; i++) {
        snprintf(which, sizeof which, "-%d.%d", i, r->world.rank);
        run_path(r, "QUEUE", which, path, sizeof path);
        run_file_at(&q->queue[i], r, path, false, true, 0, q->s->request,
                    graph_slots(r));
    }
}

int search_remove(struct search *q)
{
    if (!q->queue[0].run)
        return 0;
    int rc = run_file_remove(&q->queue[0]);
    int other = run_file_remove(&q->queue[1]);
    return rc ? rc : other;
}

/* ---- a batch --------------------------------------------------------------------- */

static uint64_t search_place_of(const struct search *q, uint64_t vertex)
{
    uint64_t ranks = (uint64_t)q->s->r->world.size;
    return ranks == 1 ? vertex : vertex / ranks;
}

/* Marks the vertices of n entries. */
static void mark(struct search *q, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = search_place_of(q, q->taken.key[i]), bit = UINT64_C(1) << at % 64;
        if (q->tree && !(q->visited[at / 64] & bit))
            q->parent[at] = q->taken.value[i];
        q->visited[at / 64] |= bit;
    }
}

/* Lists, in order, the vertices that are marked now and were not before. */
static int64_t list_marked(struct search *q)
{
    const struct world *w = &q->s->r->world;
    int64_t words = bitmap_bytes(q) / 8, n = 0;
    for (int64_t i = 0; i < words; i++)
        for (uint64_t new = q->visited[i] ^ q->before[i]; new; new &= new - 1) {
            uint64_t at = (uint64_t)i * 64 + (uint64_t)__builtin_ctzll(new);
            q->taken.key[n++] = at * (uint64_t)w->size + (uint64_t)w->rank;
        }
    return n;
}

/* Visits few entries, for which scanning all marks would take longer. */
static int64_t visit_few(struct search *q, int64_t n)
{
    int64_t left = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t vertex = q->taken.key[i], at = search_place_of(q, vertex);
        if (q->visited[at / 64] >> at % 64 & 1)
            continue;
        q->visited[at / 64] |= UINT64_C(1) << at % 64;
        if (q->tree)
            q->parent[at] = q->taken.value[i];
        q->taken.key[left++] = vertex;
    }
    pairs_sort(&q->taken, &q->other, left);
    return left;
}

/* Drops visited and duplicate vertices; the rest is sorted, and counts as visited.
 * Returns their number. */
static int64_t visit(struct search *q, int64_t n)
{
    if (n < bitmap_bytes(q) / 8)
        return visit_few(q, n);
    memcpy(q->before, q->visited, (size_t)bitmap_bytes(q));
    mark(q, n);
    return list_marked(q);
}

/* Checks numbers read from f, from byte `at` on; -1: unknown place. */
static bool are_vertices(struct search *q, const uint64_t *vertex, int64_t n,
                         const struct run_file *f, int64_t at)
{
    uint64_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = vertex[i] > most ? vertex[i] : most;
    if (most < q->s->vertices)
        return true;
    run_fail(q->s->r,
             err_set(-EIO, f->path, at,
                     "a vertex has the number %llu, of %llu vertices: the "
                     "file is damaged",
                     (unsigned long long)most, (unsigned long long)q->s->vertices));
    return false;
}

/* Appends n entries to the queue of the next level. */
static void put_entries(struct search *q, const uint64_t *entry, int64_t n)
{
    struct written *s = &q->sums[(q->levels + 1) % 2];
    int64_t at = run_stream_at(q->out), bytes = n * search_entry(q);
    int rc = written_room(s, at + bytes);
    if (rc)
        run_fail(q->s->r, rc);
    else
        written_add(s->written, at, entry, bytes);
    run_stream_put(q->out, entry, bytes);
    q->queued += n;
}

/* Queues received items: vertices, or with `tree` pairs that begin with one. */
static void enqueue(struct search *q, const uint64_t *item, int64_t n)
{
    int64_t bytes = search_entry(q), words = bytes / 8, kept = 0;
    uint64_t entry[EARLY];
    if (!q->out)
        return;
    if (!q->early) {
        put_entries(q, item, n);
        return;
    }
    for (int64_t i = 0; i < n; i++, item += words) {
        memcpy(entry + kept, item, (size_t)bytes);
        kept += search_visited(q, *item) ? 0 : words;
        if (kept > EARLY - words || i == n - 1) {
            format_turn(entry, kept);
            put_entries(q, entry, kept / words);
            kept = 0;
        }
    }
}

/* **Collective.** Sends neighbours to their owners; ranks have different numbers
 * of them. */
static void send_on(struct search *q, const uint64_t *vertex, int64_t n)
{
    int64_t most = deal_most(&q->deal);
    const uint64_t *came;
    do {
        int64_t part = n < most ? n : most;
        int64_t got = deal_round(&q->deal, vertex, part, &came);
        enqueue(q, came, got);
        vertex += part;
        n -= part;
    } while (deal_any(&q->deal, n > 0));
}

/* **Collective.** Does the same, each with the vertex that it is a neighbour of. */
static void send_pairs(struct search *q, const uint64_t *found, int64_t n)
{
    int64_t most = deal_most(&q->pairs), i = 0, k = 0;
    const uint64_t *came;
    do {
        int64_t part = 0;
        for (; part < most && k < n; k++, part++) {
            while (k == (int64_t)q->list_end[i])
                i++;
            q->pair[2 * part] = found[k];
            q->pair[2 * part + 1] = q->taken.key[i];
        }
        int64_t got = deal_round(&q->pairs, q->pair, part, &came);
        enqueue(q, came, got);
    } while (deal_any(&q->pairs, k < n));
}

/* Decodes n entries, as entries `at` and following of the batch. */
static void take_entries(struct search *q, int64_t at, const char *from, int64_t n)
{
    if (!q->tree) {
        memcpy(q->taken.key + at, from, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(&q->taken.key[at + i], from + i * PAIR, 8);
        memcpy(&q->taken.value[at + i], from + i * PAIR + 8, 8);
    }
    format_turn(q->taken.value + at, n);
}

static bool search_next_piece(struct search *q, struct run_stream *in)
{
    if (q->piece_left)
        return true;
    q->piece = run_stream_next(in, &q->piece_left);
    if (q->piece)
        written_add(q->sums[q->levels % 2].read, run_stream_at(in) - q->piece_left,
                    q->piece, q->piece_left);
    return q->piece;
}

static int64_t search_take_entries(struct search *q, struct run_stream *in,
                                   int64_t left)
{
    int64_t n = 0, want = left < q->batch ? left : q->batch, bytes = search_entry(q);
    while (n < want) {
        if (!search_next_piece(q, in))
            break;
        int64_t part = q->piece_left / bytes;
        part = part < want - n ? part : want - n;
        take_entries(q, n, q->piece, part);
        q->piece += part * bytes;
        q->piece_left -= part * bytes;
        n += part;
    }
    format_turn(q->taken.key, n);
    q->read += n;
    const struct run_file *f = &q->queue[q->levels % 2];
    int64_t at = run_stream_at(in) - q->piece_left - n * bytes;
    if (!are_vertices(q, q->taken.key, n, f, at) ||
        (q->tree && !are_vertices(q, q->taken.value, n, f, at)))
        return 0;
    return n;
}

/* ---- a level --------------------------------------------------------------------- */

static struct run_stream *open_queue(struct search *q, int64_t level, enum io_op op,
                                     int64_t bytes)
{
    struct run_stream *s = NULL;
    struct run_stream_how how = {.op = op,
                                 .bytes = bytes,
                                 .slot_bytes = q->s->request,
                                 .slots = graph_slots(q->s->r),
                                 .record = op == IO_OP_READ ? (int)search_entry(q) : 0};
    struct run_file *f = &q->queue[(level + (op == IO_OP_WRITE)) % 2];
    if (!q->s->r->failed && f->io)
        run_stream_open(&s, f, &how);
    return s;
}

static void note_ends(struct search *q, int64_t n, int64_t count)
{
    int64_t end = 0;
    for (int64_t i = 0; i < n; i++) {
        if (in_rows(q))
            end += csr_row(q->s, i);
        else
            while (end < count && q->chains.found.key[end] == (uint64_t)i)
                end++;
        q->list_end[i] = (uint64_t)end;
    }
}

int64_t search_collect(struct search *q, int64_t n, const uint64_t **found)
{
    int64_t count = in_rows(q) ? csr_collect(q->s, q->taken.key, n, found)
                               : chains_collect(&q->chains, q->taken.key, n);
    if (!in_rows(q))
        *found = q->chains.found.value;
    if (!count ||
        (!in_rows(q) && !are_vertices(q, *found, count, &q->s->partition, -1)))
        return 0;
    if (q->tree)
        note_ends(q, n, count);
    return count;
}

/* Expands a level. Ranks have different numbers of batches, and all take part until the
 * longest is done. Returns how many of `n` entries' vertices this rank has visited. */
static int64_t expand(struct search *q, struct run_stream *in, int64_t n)
{
    struct run *r = q->s->r;
    int64_t visited = 0;
    do {
        int64_t got = in ? search_take_entries(q, in, n) : n, fresh = 0, count = 0;
        const uint64_t *found = NULL;
        n = r->failed || (in && !got) ? 0 : n - got;
        if (got && !r->failed)
            fresh = visit(q, got);
        if (fresh)
            count = search_collect(q, fresh, &found);
        visited += fresh;
        q->collected += count;
        if (q->tree)
            send_pairs(q, found, count);
        else
            send_on(q, found, count);
    } while (deal_any(&q->deal, n > 0));
    return visited;
}

static void note_level(struct search *q, int64_t visited)
{
    if (q->levels == q->level_room) {
        int64_t room = 2 * q->level_room;
        uint64_t *more = mem_grow(q->level_size, room, sizeof *more, "levels");
        if (!more) {
            run_fail(q->s->r, -ENOMEM);
            return;
        }
        q->level_size = more;
        q->level_room = room;
    }
    q->level_size[q->levels++] = (uint64_t)visited;
}

static void check_queue(struct search *q)
{
    const struct written *s = &q->sums[q->levels % 2];
    int64_t at = q->s->r->failed ? -1 : written_differ(s, s->read);
    if (at >= 0)
        run_fail(q->s->r,
                 err_set(-EIO, q->queue[q->levels % 2].path, at,
                         "level %lld of the search: a vertex of the queue, within %d "
                         "bytes from here, is not the one that was put "
                         "there: " STAMP_WRONG,
                         (long long)q->levels, WRITTEN_BLOCK));
}

static void clear_sums(struct search *q)
{
    const struct written *in = &q->sums[q->levels % 2],
                         *out = &q->sums[!(q->levels % 2)];
    written_clear(in, in->read);
    written_clear(out, out->written);
}

/* Searches a level. Returns true if there is another one. */
static bool search_level(struct search *q, int64_t *entries)
{
    struct run *r = q->s->r;
    bool first = q->levels == 0;
    int64_t before = q->queued;
    struct run_stream *in = first || !*entries ? NULL
                                               : open_queue(q, q->levels, IO_OP_READ,
                                                            *entries * search_entry(q));
    q->out = open_queue(q, q->levels, IO_OP_WRITE, 0);
    q->piece_left = 0;
    clear_sums(q);
    bool none = !first && !in;
    if (first && *entries)
        q->taken.key[0] = q->taken.value[0] = q->root;
    int64_t visited = expand(q, in, none ? 0 : *entries);
    if (q->out)
        run_stream_flush(q->out);
    run_stream_close(&q->out);
    if (in)
        check_queue(q);
    run_stream_close(&in);
    *entries = q->queued - before;
    enum act act = phase_act(r->phase, ACT_COMMUNICATE);
    int64_t all[2] = {visited, -(int64_t) !!r->failed};
    world_reduce(r->world.comm, all, 2, MPI_INT64_T, MPI_SUM);
    phase_act(r->phase, act);
    if (!all[0] || all[1])
        return false;
    note_level(q, all[0]);
    return true;
}

void search_run(struct search *q)
{
    struct run *r = q->s->r;
    bool mine = q->root % (uint64_t)r->world.size == (uint64_t)r->world.rank;
    int64_t entries = mine;
    q->levels = q->collected = q->queued = q->read = 0;
    store_searched_none(q->s);
    memset(q->visited, 0, (size_t)bitmap_bytes(q));
    if (q->tree)
        memset(q->parent, 0xff, (size_t)store_vertices(q->s) * 8);
    for (int i = 0; i < 2; i++)
        run_file_open(&q->queue[i], IO_READ | IO_WRITE | (q->made ? 0 : IO_CREATE));
    q->made = true;
    while (!r->failed || r->world.size > 1)
        if (!search_level(q, &entries))
            break;
    for (int i = 0; i < 2; i++)
        run_file_close(&q->queue[i], true);
}

int search_phase(struct search *q)
{
    struct store *s = q->s;
    const struct store_searched *d = &s->searched;
    run_phase_begin(s->r, "search");
    if (!store_files_open(s, false))
        search_run(q);
    store_files_close(s, false);
    int rc = run_phase_end(s->r);
    return rc ? rc
              : store_moved_all(s, "search",
                                d->places.bytes + d->lists.bytes +
                                    search_entry(q) * q->read,
                                search_entry(q) * q->queued);
}
