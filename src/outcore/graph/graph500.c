#include "outcore/graph/graph500.h"
#include "base/draw.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "outcore/graph/store.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the check of a tree --------------------------------------------------------- */

struct reader {
    struct run_stream *in;
    const char *piece;
    int64_t left;
};

struct checking {
    struct search *q;
    struct check *c;
    struct reader lists, places;
    int64_t row;          /* in a file of rows: the next one, */
    uint64_t entry, next; /* the next entry, and the beginning of the next row */
    uint64_t *list; /* neighbours of visited vertices, on their way to their owners */
    int64_t n, room;
};

/* Reads the next number of 8 bytes. Returns false at the end. */
static bool next_of(struct reader *f, struct check *c, uint64_t *word)
{
    if (!f->left && f->in)
        f->piece = run_stream_next(f->in, &f->left);
    if (!f->in || !f->piece || f->left < 8)
        return false;
    memcpy(word, f->piece, 8);
    f->piece += 8;
    f->left -= 8;
    c->read_bytes += 8;
    return true;
}

static bool next_word(struct checking *k, uint64_t *word)
{
    return next_of(&k->lists, k->c, word);
}

static void damaged(struct checking *k, int64_t at, const char *what)
{
    struct run_file *f = &k->q->s->partition;
    run_fail(f->run, err_set(-EIO, f->path, at, "the chunk here %s", what));
}

/* Adds a chunk's neighbours to the list to be looked up; false if it waits for room, or
 * there are no more chunks. */
static bool next_chunk(struct checking *k, uint64_t *neighbour, int64_t room)
{
    struct store *s = k->q->s;
    struct check *c = k->c;
    int64_t at = c->read_bytes;
    char head[CHUNK_HEAD];
    for (int i = 0; i < CHUNK_HEAD; i += 8) {
        uint64_t word;
        if (!next_word(k, &word))
            return false;
        memcpy(head + i, &word, 8);
    }
    struct chunk h = format_chunk(head);
    if ((int64_t)h.count > room) {
        damaged(k, at, "has more neighbours than --adjacency-buffer");
        return false;
    }
    for (uint32_t i = 0; i < h.count; i++)
        if (!next_word(k, &neighbour[i])) {
            damaged(k, at, "is cut short");
            return false;
        }
    if (h.vertex >= s->vertices ||
        h.vertex % (uint64_t)s->r->world.size != (uint64_t)s->r->world.rank ||
        format_crc(h.vertex, h.count, neighbour) != h.crc) {
        damaged(k, at, "has another CRC-32 than it says, or is another rank's");
        return false;
    }
    format_turn(neighbour, h.count);
    c->chunks++;
    s->r->checked++;
    c->entries += h.count;
    uint64_t sum = 31 * h.vertex * h.count;
    for (uint32_t i = 0; i < h.count; i++)
        sum += neighbour[i];
    c->sum += sum;
    if (search_visited(k->q, h.vertex)) {
        c->reached += h.count;
        c->reached_sum += sum;
        k->n += h.count;
    }
    return true;
}

/* Reads the next row's offset, which must not be below the previous one. */
static bool next_row(struct checking *k)
{
    struct store *s = k->q->s;
    uint64_t next;
    if (!next_of(&k->places, k->c, &next))
        return false;
    format_turn(&next, 1);
    if (next < k->next || (!k->row && next) || next > (uint64_t)s->entries) {
        run_fail(s->r, err_set(-EIO, s->pif.path, CSR_HEAD + 8 * k->row,
                               "a row begins with entry %llu, the one before it with "
                               "%llu, of %lld: the file is damaged",
                               (unsigned long long)next, (unsigned long long)k->next,
                               (long long)s->entries));
        return false;
    }
    k->c->chunks += k->row > 0 && next > k->next;
    k->next = next;
    k->row++;
    return true;
}

/* Reads the next entry of a file of rows, as next_chunk. */
static bool next_entry(struct checking *k)
{
    struct store *s = k->q->s;
    struct check *c = k->c;
    uint64_t neighbour, ranks = (uint64_t)s->r->world.size;
    while (k->row <= store_vertices(s) && (!k->row || k->next == k->entry))
        if (!next_row(k))
            return false;
    if (!next_word(k, &neighbour))
        return false;
    format_turn(&neighbour, 1);
    uint64_t vertex = (uint64_t)(k->row - 2) * ranks + (uint64_t)s->r->world.rank;
    k->entry++;
    c->entries++;
    c->sum += 31 * vertex + neighbour;
    if (search_visited(k->q, vertex)) {
        k->list[k->n++] = neighbour;
        c->reached++;
        c->reached_sum += 31 * vertex + neighbour;
    }
    return true;
}

static void graph500_ask(struct checking *k)
{
    struct search *q = k->q;
    int64_t most = deal_most(&q->deal), done = 0;
    const uint64_t *came;
    do {
        int64_t part = k->n - done < most ? k->n - done : most;
        int64_t got = deal_round(&q->deal, k->list + done, part, &came);
        for (int64_t i = 0; i < got; i++)
            k->c->missed += came[i] >= q->s->vertices || !search_visited(q, came[i]);
        done += part;
    } while (deal_any(&q->deal, done < k->n));
}

static bool next_part(struct checking *k)
{
    struct store *s = k->q->s;
    bool more = true;
    k->n = 0;
    if (s->layout == &store_csr)
        while (more && k->n < k->room)
            more = next_entry(k);
    else
        while (more && k->n <= s->capacity)
            more = next_chunk(k, k->list + k->n, s->capacity);
    return more;
}

/* Opens a file, and reads its head, which has the same length in all files. */
static void open_reader(struct checking *k, struct reader *f, struct run_file *file,
                        int64_t bytes, int slots)
{
    uint64_t word;
    struct run_stream_how how = {.op = IO_OP_READ,
                                 .bytes = bytes,
                                 .slot_bytes = k->q->s->request,
                                 .slots = slots,
                                 .record = 8};
    run_stream_open(&f->in, file, &how);
    for (int i = 0; i < PARTITION_HEAD / 8; i++)
        if (!next_of(f, k->c, &word))
            return;
}

/* Checks the files in the memory of the adjacency buffer, which is enough for
 * any chunk. */
void check_files(struct search *q, struct check *c)
{
    struct store *s = q->s;
    bool rows = s->layout == &store_csr, more = !s->r->failed;
    struct checking k = {.q = q, .c = c, .list = s->memory, .room = s->capacity};
    if (rows)
        k.list = csr_room(s, &k.room);
    *c = (struct check){.read_bytes = 0};
    open_reader(&k, &k.lists, &s->partition, s->bytes, graph_slots(s->r));
    if (rows)
        open_reader(&k, &k.places, &s->pif, s->layout->places_bytes(s), 1);
    while (deal_any(&q->deal, more)) {
        more = more && next_part(&k);
        graph500_ask(&k);
    }
    run_stream_close(&k.lists.in);
    run_stream_close(&k.places.in);
    s->r->checked += rows ? c->chunks : 0;
}

/* ---- Graph 500 ------------------------------------------------------------------- */

enum { TRIED = 1024 }; /* candidates looked up at a time */

int64_t graph500_memory(const struct graph500 *g)
{
    return tree_memory(g->q->s) + g->most * 32;
}

int graph500_open(struct graph500 *g)
{
    size_t most = (size_t)g->most;
    g->root = mem_new(most, sizeof *g->root, "roots");
    g->seconds = mem_new(most * 3, sizeof *g->seconds, "roots");
    if (!g->root || !g->seconds)
        return -ENOMEM;
    g->edge = g->seconds + most;
    g->rate = g->edge + most;
    return tree_open(&g->tree, g->q, g->edges);
}

void graph500_close(struct graph500 *g)
{
    tree_close(&g->tree);
    free(g->root);
    free(g->seconds);
    g->root = NULL;
    g->seconds = NULL;
}

/* ---- roots ----------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the candidates of this rank that have an edge to another vertex, as flags in
 * the order of the candidates. */
static void graph500_look_up(struct search *q, const uint64_t *vertex, int64_t n,
                             int *good)
{
    uint64_t ranks = (uint64_t)q->s->r->world.size,
             rank = (uint64_t)q->s->r->world.rank;
    const uint64_t *found = NULL;
    int64_t mine = 0, at = 0;
    for (int64_t i = 0; i < n; i++)
        if (vertex[i] % ranks == rank)
            q->taken.key[mine++] = vertex[i];
    qsort(q->taken.key, (size_t)mine, sizeof *q->taken.key, by_number);
    int64_t count = mine ? search_collect(q, mine, &found) : 0;
    for (int64_t k = 0; k < mine && count; k++) {
        int other = 0;
        for (; at < (int64_t)q->list_end[k]; at++)
            other |= found[at] != q->taken.key[k];
        for (int64_t i = 0; i < n; i++)
            if (vertex[i] == q->taken.key[k])
                good[i] = other;
    }
}

/* Draws roots. Candidates come in an order without repetition that depends on the
 * seed only. */
static void draw_roots(struct graph500 *g)
{
    struct search *q = g->q;
    struct run *r = q->s->r;
    int64_t vertices = (int64_t)q->s->vertices, done = 0;
    int64_t most = q->batch < TRIED ? q->batch : TRIED;
    uint64_t vertex[TRIED], key = rng_key(r->seed, RNG_SEARCHED);
    int good[TRIED], failed = 0;
    g->roots = 0;
    while (done < vertices && g->roots < g->most && !failed) {
        int64_t n = vertices - done < most ? vertices - done : most;
        for (int64_t i = 0; i < n; i++, done++) {
            vertex[i] = (uint64_t)shuffle(done, vertices, key);
            good[i] = 0;
        }
        if (!r->failed)
            graph500_look_up(q, vertex, n, good);
        world_reduce(r->world.comm, good, (int)n, MPI_INT, MPI_MAX);
        for (int64_t i = 0; i < n && g->roots < g->most; i++)
            if (good[i])
                g->root[g->roots++] = vertex[i];
        failed = r->failed != 0;
        world_reduce(r->world.comm, &failed, 1, MPI_INT, MPI_MAX);
    }
}

static int find_roots(struct graph500 *g)
{
    struct store *s = g->q->s;
    struct run *r = s->r;
    run_phase_begin(r, "roots");
    store_searched_none(s);
    store_files_open(s, false);
    draw_roots(g);
    store_files_close(s, false);
    int rc = run_phase_end(r);
    if (!rc)
        rc = store_moved_all(s, "roots",
                             s->searched.places.bytes + s->searched.lists.bytes, 0);
    if (rc || g->roots)
        return rc;
    return err_set(-EINVAL, g->edges->file.path, -1,
                   "no edge connects two vertices: there is nothing to search from");
}

/* ---- searches -------------------------------------------------------------------- */

static int validate(struct graph500 *g, int64_t i)
{
    struct run *r = g->q->s->r;
    run_phase_begin(r, "validate");
    tree_check(&g->tree);
    int rc = run_phase_end(r);
    if (!rc)
        rc = store_moved_all(g->q->s, "validate", edges_bytes(g->edges), 0);
    if (rc)
        return rc;
    int64_t inside = g->tree.inside;
    world_reduce(r->world.comm, &inside, 1, MPI_INT64_T, MPI_SUM);
    g->edge[i] = (double)(inside / 2);
    g->rate[i] = g->edge[i] / g->seconds[i];
    return 0;
}

static int search_from(struct graph500 *g, int64_t i)
{
    struct run *r = g->q->s->r;
    g->q->root = g->root[i];
    int rc = search_phase(g->q);
    if (rc)
        return rc;
    g->seconds[i] = r->last.work_s;
    g->read_bytes += r->last.read_bytes;
    g->write_bytes += r->last.write_bytes;
    r->aside = true;
    rc = validate(g, i);
    r->aside = false;
    return rc;
}

static void graph500_add_figures(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    run_figure(r, "search", "harmonic_TEPS", "1/s", "higher",
               "harmonic mean over roots of edges with both ends in the tree / slowest "
               "rank's seconds of reading, computing, exchanging, writing and syncing",
               teps_of(g->rate, (int)g->roots, 1).mean);
    run_figure(r, "search", "read_MB", "MB", "lower", "bytes read / 1e6",
               (double)g->read_bytes / 1e6);
    run_figure(r, "search", "write_MB", "MB", "lower", "bytes written / 1e6",
               (double)g->write_bytes / 1e6);
}

int graph500_run(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    r->samples_only = r->aside = true;
    int rc = find_roots(g);
    r->aside = false;
    g->read_bytes = g->write_bytes = 0;
    for (int64_t i = 0; i < g->roots && !rc; i++)
        rc = search_from(g, i);
    r->samples_only = false;
    if (!rc)
        graph500_add_figures(g);
    return rc;
}

/* ---- results --------------------------------------------------------------------- */

static void graph500_say(struct run *r, const char *what, double *x, int64_t n,
                         int harmonic)
{
    struct teps t = teps_of(x, (int)n, harmonic);
    const struct {
        const char *name;
        double value;
    } of[] = {{"min", t.min},
              {"firstquartile", t.first_quartile},
              {"median", t.median},
              {"thirdquartile", t.third_quartile},
              {"max", t.max},
              {harmonic ? "harmonic_mean" : "mean", t.mean},
              {harmonic ? "harmonic_stddev" : "stddev", t.stddev}};
    char name[64];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        snprintf(name, sizeof name, "%s_%s", of[i].name, what);
        run_result(r, name, of[i].value);
    }
}

void graph500_results(struct graph500 *g)
{
    struct run *r = g->q->s->r;
    run_result(r, "NBFS", (double)g->roots);
    graph500_say(r, "time", g->seconds, g->roots, 0);
    graph500_say(r, "nedge", g->edge, g->roots, 0);
    graph500_say(r, "TEPS", g->rate, g->roots, 1);
}
