#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "extsort/extsort.h"
#include "outcore/graph/store.h"
#include "run/stream/blocks.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER = 8,
    EDGE = 16,
    PIECE = 4096, /* edges taken from the sorter at a time */
    ROOM = 1 << 16
};

struct csr {
    struct extsort *sorter;
    char scratch[PATH_MAX - 32];
    struct extsort_counts counts;
    struct run_stream *places; /* while it is written */
    uint64_t *edge;            /* PIECE of them */
    uint64_t came;             /* sum of the edges received, as in store.h */
    int64_t rows;              /* rows whose beginnings are written */

    uint64_t *begin, *end; /* beginnings and ends of rows, in entries: for a
                            * batch's vertices */
    int64_t *first;        /* for each extent, the first vertex that it has bytes of */
    uint64_t *found;
    int64_t room, count;
    uint64_t sum, most; /* of `found` */
};

/* ---- memory ---------------------------------------------------------------------- */

/* The key of a record, which is an edge as in memory. */
static void vertex_word(const void *edge, int k, uint64_t two[2])
{
    (void)k;
    memcpy(two, edge, 8);
    two[1] = 0;
}

static struct extsort_how sorting(const struct store *s)
{
    return (struct extsort_how){
        .order = {.kind = SORT_OWN,
                  .bytes = EDGE,
                  .key_bytes = 8,
                  .words = vertex_word},
        .lanes = 1,
        .merge_lanes = 1,
        .memory_bytes = s->capacity * 32,
        .scratch = s->csr ? s->csr->scratch : NULL,
        .what = "edges",
        .settle = true,
    };
}

/* True if the sorter works with this capacity; no sentence is recorded. */
static bool can_sort(const struct store *s, int64_t capacity)
{
    struct extsort_how how = sorting(s);
    struct extsort_counts c;
    struct err before = err_copy();
    how.memory_bytes = capacity * 32;
    bool can = !extsort_expect(s->r, &how, 0, &c);
    err_put(&before);
    return can;
}

int csr_check(const struct store *s)
{
    int64_t would = 1;
    if (can_sort(s, s->capacity))
        return 0;
    while (would <= s->capacity || !can_sort(s, would))
        would *= 2;
    return err_usage("--adjacency-buffer=%lld is too small to sort edges with "
                     "--layout=csr: --adjacency-buffer=%lld would do",
                     (long long)s->capacity, (long long)would);
}

static int64_t csr_memory(const struct store *s)
{
    return s->capacity * 32 + PIECE * EDGE + 6 * s->request +
           STORE_PIECE * (int64_t)(sizeof *s->extent + sizeof *s->csr->first);
}

static int64_t csr_places_bytes(const struct store *s)
{
    return CSR_HEAD + NUMBER * (store_vertices(s) + 1);
}

static int csr_open(struct store *s)
{
    s->csr = mem_new(1, sizeof *s->csr, "a piece of a search");
    s->extent = mem_new(STORE_PIECE, sizeof *s->extent, "a piece of a search");
    if (!s->csr || !s->extent)
        return -ENOMEM;
    void *edge = NULL;
    s->csr->first = mem_new(STORE_PIECE, sizeof *s->csr->first, "a piece of a search");
    if (!s->csr->first)
        return -ENOMEM;
    int rc = buf_alloc(&edge, PIECE * EDGE, "edges");
    s->csr->edge = edge;
    struct extsort_how how = sorting(s);
    return rc ? rc : extsort_open(&s->csr->sorter, s->r, &how, -1);
}

static void csr_close(struct store *s)
{
    struct csr *c = s->csr;
    free(s->extent);
    s->extent = NULL;
    if (!c)
        return;
    extsort_close(&c->sorter);
    buf_free(c->edge);
    free(c->begin);
    free(c->first);
    free(c->found);
    free(c);
    s->csr = NULL;
}

int64_t csr_batch_memory(int64_t most)
{
    return most * 2 * NUMBER;
}

int csr_batch_open(struct store *s, int64_t most)
{
    struct csr *c = s->csr;
    c->begin = mem_new(csr_batch_memory(most), 1, "batches of vertices");
    if (!c->begin)
        return -ENOMEM;
    c->end = c->begin + most;
    return 0;
}

int64_t csr_row(const struct store *s, int64_t i)
{
    return (int64_t)(s->csr->end[i] - s->csr->begin[i]);
}

uint64_t *csr_room(struct store *s, int64_t *n)
{
    *n = 2 * PIECE;
    return s->csr->edge;
}

/* ---- an ingest ------------------------------------------------------------------- */

static void csr_open_stream(struct run_stream **to, struct store *s, struct run_file *f)
{
    struct run_stream_how how = {.op = IO_OP_WRITE,
                                 .slot_bytes = s->request,
                                 .slots = f == &s->pif ? 1 : graph_slots(s->r)};
    run_stream_open(to, f, &how);
}

static void csr_begin(struct store *s)
{
    struct csr *c = s->csr;
    char which[32];
    snprintf(which, sizeof which, ".%d", s->r->world.rank);
    run_path(s->r, "RUNS", which, c->scratch, sizeof c->scratch);
    extsort_scratch(c->sorter, c->scratch);
    csr_open_stream(&c->places, s, &s->pif);
    csr_open_stream(&s->append, s, &s->partition);
    c->rows = 0;
    c->came = 0;
    c->counts = (struct extsort_counts){.records = 0};
    extsort_begin(c->sorter, -1);
}

static void csr_add(struct store *s, const uint64_t *edge, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        s->csr->came += 31 * edge[2 * i] + edge[2 * i + 1];
    extsort_add(s->csr->sorter, edge, n);
}

static void csr_put_head(struct run_stream *to, const struct store *s,
                         const char *magic)
{
    char head[CSR_HEAD];
    format_csr_head(head, magic, s->vertices, (uint64_t)s->csr->counts.records,
                    s->csr->came);
    run_stream_put(to, head, CSR_HEAD);
}

/* Writes the beginnings of rows up to this one: the number of entries so far. */
static void begin_rows(struct store *s, int64_t row)
{
    struct csr *c = s->csr;
    uint64_t before = (uint64_t)s->entries;
    format_turn(&before, 1);
    s->chunks += c->rows <= row;
    for (; c->rows <= row; c->rows++)
        run_stream_put(c->places, &before, NUMBER);
}

/* Puts edges. Their neighbours overwrite them in place, which ends the
 * sorter's data. */
static void put_edges(struct store *s, int64_t n)
{
    uint64_t *edge = s->csr->edge, ranks = (uint64_t)s->r->world.size;
    for (int64_t i = 0; i < n; i++) {
        uint64_t vertex = edge[2 * i], neighbour = edge[2 * i + 1];
        begin_rows(s, (int64_t)(vertex / ranks));
        s->sum += 31 * vertex + neighbour;
        s->entries++;
        edge[i] = neighbour;
    }
    format_turn(edge, n);
    run_stream_put(s->append, edge, n * NUMBER);
}

static void csr_end(struct store *s)
{
    struct csr *c = s->csr;
    int64_t n;
    if (s->r->failed || extsort_finish(c->sorter))
        return;
    c->counts = extsort_counts(c->sorter);
    csr_put_head(c->places, s, FORMAT_OFFSETS);
    csr_put_head(s->append, s, FORMAT_NEIGHBOURS);
    while ((n = extsort_next(c->sorter, 0, c->edge, PIECE)) > 0)
        put_edges(s, n);
    int64_t rows = s->chunks;
    begin_rows(s, store_vertices(s));
    s->chunks = rows;
    run_stream_flush(c->places);
    run_stream_flush(s->append);
    c->counts = extsort_counts(c->sorter);
    s->bytes = CSR_HEAD + NUMBER * s->entries;
    s->moved.append_bytes = csr_places_bytes(s) + s->bytes;
    s->moved.sort_read_bytes = c->counts.read_bytes;
    s->moved.sort_write_bytes = c->counts.write_bytes;
    extsort_end(c->sorter);
}

static void csr_abandon(struct store *s)
{
    if (s->csr->sorter && s->r->failed)
        extsort_end(s->csr->sorter);
    run_stream_close(&s->csr->places);
    run_stream_close(&s->append);
}

const struct store_layout store_csr = {
    .places = "OFFSETS",
    .lists = "NEIGHBOURS",
    .places_magic = FORMAT_OFFSETS,
    .lists_magic = FORMAT_NEIGHBOURS,
    .memory = csr_memory,
    .places_bytes = csr_places_bytes,
    .open = csr_open,
    .close = csr_close,
    .begin = csr_begin,
    .add = csr_add,
    .end = csr_end,
    .abandon = csr_abandon,
};

/* ---- a batch --------------------------------------------------------------------- */

/* Bytes of vertices to be read as one extent, if their blocks follow each other; a
 * vertex may have more. SHORT: neighbours of a short row. */
enum { GROUP = 64 << 10, SHORT = 8 };

struct groups {
    struct store *s;
    const uint64_t *vertex;
    int64_t n;    /* vertices in the batch */
    int64_t last; /* number of extents so far */
    int64_t end;  /* end of the last extent's last block */
};

/* Adds bytes from .. to - 1 of vertex i, which do not lie before those of the previous
 * vertex, to an extent. False: the piece ends before it. */
static inline bool group(struct groups *g, int64_t i, int64_t from, int64_t to)
{
    struct store *s = g->s;
    struct extent *e = g->last ? &s->extent[g->last - 1] : NULL;
    int64_t most = GROUP < s->request ? GROUP : s->request;
    if (!e || from >= g->end + s->block || to - e->offset > most) {
        if (g->last && store_piece_ends(s, g->last, from))
            return false;
        e = &s->extent[g->last];
        e->offset = from;
        s->csr->first[g->last++] = i;
    }
    e->bytes = to - e->offset;
    if (to > g->end)
        g->end = units_round_up(to, s->block);
    return true;
}

static void read_groups(struct groups *g, struct run_file *f, struct spans *spans,
                        run_extent_done *done)
{
    struct store *s = g->s;
    for (int64_t k = 0; k < g->last; k++)
        spans_add(spans, s->extent[k].offset, s->extent[k].offset + s->extent[k].bytes);
    run_blocks_read(f, s->extent, g->last, s->block, done, g);
    g->last = g->end = 0;
}

static int64_t place_at(const struct groups *g, int64_t i)
{
    uint64_t ranks = (uint64_t)g->s->r->world.size;
    uint64_t row = ranks == 1 ? g->vertex[i] : g->vertex[i] / ranks;
    return CSR_HEAD + NUMBER * (int64_t)row;
}

static void damaged_place(struct store *s, int64_t i, int64_t at)
{
    const struct csr *c = s->csr;
    run_fail(s->r,
             err_set(-EIO, s->pif.path, at,
                     "a row is said to be from entry %llu to %llu, of %lld, where none "
                     "can be: the file is damaged",
                     (unsigned long long)c->begin[i], (unsigned long long)c->end[i],
                     (long long)s->entries));
}

/* Notes the places of rows, and checks that they follow each other within the file. */
static void note_places(void *groups, const struct extent *e, int64_t k,
                        const void *data)
{
    const struct groups *g = groups;
    struct store *s = g->s;
    struct csr *c = s->csr;
    int64_t i = c->first[k], at;
    uint64_t before = i ? c->end[i - 1] : 0, end = (uint64_t)s->entries, place[2];
    int64_t last = e->offset + e->bytes - (int64_t)sizeof place;
    for (; i < g->n && (at = place_at(g, i)) <= last; i++) {
        memcpy(place, (const char *)data + (at - e->offset), sizeof place);
        format_turn(place, 2);
        c->begin[i] = place[0];
        c->end[i] = place[1];
        if (place[0] < before || place[0] > place[1] || place[1] > end) {
            damaged_place(s, i, at);
            return;
        }
        before = place[1];
    }
}

static void read_places(struct groups *g)
{
    struct store *s = g->s;
    spans_again(&s->searched.places, s->pif.bytes);
    for (int64_t i = 0; i < g->n && !s->r->failed;) {
        int64_t at;
        while (i < g->n && (at = place_at(g, i), group(g, i, at, at + 2 * NUMBER)))
            i++;
        read_groups(g, &s->pif, &s->searched.places, note_places);
    }
}

/* Turns and sums neighbours while they are in the cache. */
static void csr_look_at(struct csr *c, uint64_t *found, int64_t n)
{
    uint64_t sum = 0, most = c->most;
    format_turn(found, n);
    for (int64_t i = 0; i < n; i++) {
        sum += found[i];
        most = found[i] > most ? found[i] : most;
    }
    c->sum += sum;
    c->most = most;
}

/* Copies the parts of rows that are in the extent. */
static void take_rows(void *groups, const struct extent *e, int64_t k, const void *data)
{
    const struct groups *g = groups;
    struct csr *c = g->s->csr;
    uint64_t from = (uint64_t)(e->offset - CSR_HEAD) / NUMBER;
    uint64_t to = from + (uint64_t)e->bytes / NUMBER;
    int64_t count = c->count;
    for (int64_t i = c->first[k]; i < g->n && c->begin[i] < to; i++) {
        uint64_t begin = c->begin[i] < from ? from : c->begin[i];
        uint64_t end = c->end[i] < to ? c->end[i] : to, n = end - begin;
        const uint64_t *row = (const uint64_t *)data + (begin - from);
        /* Most rows are short; the excess copied behind one is overwritten by
         * the next. */
        if (n <= SHORT && begin + SHORT <= to)
            memcpy(c->found + c->count, row, SHORT * sizeof *row);
        else
            memcpy(c->found + c->count, row, n * sizeof *row);
        c->count += (int64_t)n;
    }
    csr_look_at(c, c->found + count, c->count - count);
}

/* Reads rows; one may have more bytes than a request. */
static void csr_read_rows(struct groups *g)
{
    struct store *s = g->s;
    struct csr *c = s->csr;
    int64_t at = 0, most = s->request / NUMBER;
    c->count = 0;
    spans_again(&s->searched.lists, s->bytes);
    for (int64_t i = 0; i < g->n && !s->r->failed;) {
        while (i < g->n) {
            int64_t from = (int64_t)c->begin[i] + at, left = (int64_t)c->end[i] - from;
            int64_t part = left < most ? left : most;
            int64_t offset = CSR_HEAD + NUMBER * from;
            if (part && !group(g, i, offset, offset + NUMBER * part))
                break;
            at = part < left ? at + part : 0;
            i += part == left;
        }
        read_groups(g, &s->partition, &s->searched.lists, take_rows);
    }
}

static int csr_make_room(struct csr *c, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (int64_t)(c->end[i] - c->begin[i]);
    if (sum <= c->room)
        return 0;
    c->room = sum < ROOM ? ROOM : sum + sum / 4;
    free(c->found);
    c->found =
        mem_grow(NULL, c->room + SHORT, NUMBER, "neighbours of a batch (--batch)");
    if (c->found)
        return 0;
    c->room = 0;
    return -ENOMEM;
}

int64_t csr_collect(struct store *s, const uint64_t *vertex, int64_t n,
                    const uint64_t **found)
{
    struct csr *c = s->csr;
    struct groups g = {.s = s, .vertex = vertex, .n = n};
    read_places(&g);
    if (!s->r->failed)
        run_fail(s->r, csr_make_room(c, n));
    if (s->r->failed)
        return 0;
    c->sum = c->most = 0;
    csr_read_rows(&g);
    s->searched.rounds++;
    s->searched.longest = 1;
    for (int64_t i = 0; i < n; i++)
        c->sum += 31 * vertex[i] * (c->end[i] - c->begin[i]);
    s->searched.sum += c->sum;
    *found = c->found;
    if (c->most >= s->vertices)
        run_fail(s->r,
                 err_set(-EIO, s->partition.path, -1,
                         "a neighbour has the number %llu, of %llu vertices: the "
                         "file is damaged",
                         (unsigned long long)c->most, (unsigned long long)s->vertices));
    return s->r->failed ? 0 : c->count;
}
