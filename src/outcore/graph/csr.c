#include "outcore/graph/csr.h"
#include "base/buf.h"
#include "base/err.h"
#include "extsort/extsort.h"
#include "outcore/graph/slots.h"
#include "run/blocks.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER = 8,
    EDGE = 16,
    PIECE = 4096, /* edges that are taken from the sorter at once */
    ROOM = 1 << 16
};

struct csr {
    struct extsort *sorter;
    char scratch[PATH_MAX - 32];
    struct extsort_counts counts;
    struct run_stream *places; /* while they are written */
    uint64_t *edge;            /* PIECE of them */
    int64_t rows;              /* whose begins are written */

    uint64_t *begin, *end; /* of rows, entries: of a batch's vertices */
    uint64_t *found;
    int64_t room, count;
};

/* ---- memory ---------------------------------------------------------------------- */

/* A record is an edge as it is in memory. */
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
    };
}

int csr_expect(const struct store *s, int64_t edges, struct store_moved *moved)
{
    struct extsort_how how = sorting(s);
    struct extsort_counts c;
    int rc = extsort_expect(s->r, &how, edges, &c);
    if (rc)
        return err_usage("--adjacency-buffer=%lld is too small to sort %lld edges with "
                         "--layout=csr: take more",
                         (long long)s->capacity, (long long)edges);
    moved->sort_read_bytes = c.read_bytes;
    moved->sort_write_bytes = c.write_bytes;
    return 0;
}

static int64_t csr_memory(const struct store *s)
{
    return s->capacity * 32 + PIECE * EDGE + 6 * s->request +
           STORE_PIECE * (int64_t)sizeof *s->extent;
}

static int64_t csr_places_bytes(const struct store *s)
{
    return CSR_HEAD + NUMBER * (store_vertices(s) + 1);
}

static int csr_open(struct store *s)
{
    s->csr = calloc(1, sizeof *s->csr);
    s->extent = calloc(STORE_PIECE, sizeof *s->extent);
    if (!s->csr || !s->extent)
        return err_set(-ENOMEM, NULL, -1, "no memory for a piece of a search");
    void *edge = NULL;
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
    c->begin = malloc((size_t)csr_batch_memory(most));
    if (!c->begin)
        return err_set(-ENOMEM, NULL, -1, "no memory for batches of %lld vertices",
                       (long long)most);
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

static void open_stream(struct run_stream **to, struct store *s, struct run_file *f)
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
    open_stream(&c->places, s, &s->pif);
    open_stream(&s->append, s, &s->partition);
    c->rows = 0;
    c->counts = (struct extsort_counts){.records = 0};
    extsort_begin(c->sorter, -1);
}

static void csr_add(struct store *s, const uint64_t *edge, int64_t n)
{
    extsort_add(s->csr->sorter, edge, n);
}

static void put_head(struct run_stream *to, const struct store *s, const char *magic)
{
    char head[CSR_HEAD];
    format_csr_head(head, magic, s->vertices, (uint64_t)s->csr->counts.records);
    run_stream_put(to, head, CSR_HEAD);
}

/* Writes where the rows up to this one begin: after all entries there are so far. */
static void begin_rows(struct store *s, int64_t row)
{
    struct csr *c = s->csr;
    uint64_t before = (uint64_t)s->entries;
    format_turn(&before, 1);
    s->chunks += c->rows <= row;
    for (; c->rows <= row; c->rows++)
        run_stream_put(c->places, &before, NUMBER);
}

/* What is taken from the sorter is over when neighbours are where edges were. */
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
    put_head(c->places, s, "LLOFFS01");
    put_head(s->append, s, "LLNEIG01");
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

struct reading {
    struct store *s;
    int64_t number; /* of the piece's first vertex */
};

static void note_place(void *context, const struct extent *e, int64_t i,
                       const void *data)
{
    const struct reading *g = context;
    struct store *s = g->s;
    uint64_t place[2];
    memcpy(place, data, sizeof place);
    format_turn(place, 2);
    s->csr->begin[g->number + i] = place[0];
    s->csr->end[g->number + i] = place[1];
    if (place[0] <= place[1] && place[1] <= (uint64_t)s->entries)
        return;
    run_fail(s->r, err_set(-EIO, s->pif.path, e->offset,
                           "a row is said to be from entry %llu to %llu, of %lld: the "
                           "file is damaged",
                           (unsigned long long)place[0], (unsigned long long)place[1],
                           (long long)s->entries));
}

/* Adds an extent to those of a piece; false where the piece ends before it. */
static bool add_extent(struct store *s, struct spans *spans, int64_t *n, int64_t offset,
                       int64_t bytes)
{
    if (store_piece_ends(s, *n, offset))
        return false;
    spans_add(spans, offset, offset + bytes);
    s->extent[(*n)++] = (struct extent){.offset = offset, .bytes = bytes};
    return true;
}

static void read_places(struct store *s, const uint64_t *vertex, int64_t n)
{
    uint64_t ranks = (uint64_t)s->r->world.size;
    spans_again(&s->searched.places, s->pif.bytes);
    for (int64_t i = 0; i < n && !s->r->failed;) {
        struct reading g = {s, i};
        int64_t k = 0;
        while (i < n &&
               add_extent(s, &s->searched.places, &k,
                          CSR_HEAD + NUMBER * (int64_t)(vertex[i] / ranks), 2 * NUMBER))
            i++;
        run_blocks_read(&s->pif, s->extent, k, s->block, note_place, &g);
    }
}

static void take_row(void *context, const struct extent *e, int64_t i, const void *data)
{
    struct csr *c = context;
    (void)i;
    memcpy(c->found + c->count, data, (size_t)e->bytes);
    c->count += e->bytes / NUMBER;
}

/* A row may have more bytes than a request. */
static void read_rows(struct store *s, int64_t n)
{
    struct csr *c = s->csr;
    int64_t at = 0, most = s->request / NUMBER;
    c->count = 0;
    spans_again(&s->searched.lists, s->bytes);
    for (int64_t i = 0; i < n && !s->r->failed;) {
        int64_t k = 0;
        while (i < n) {
            int64_t from = (int64_t)c->begin[i] + at, left = (int64_t)c->end[i] - from;
            int64_t part = left < most ? left : most;
            if (part && !add_extent(s, &s->searched.lists, &k, CSR_HEAD + NUMBER * from,
                                    NUMBER * part))
                break;
            at = part < left ? at + part : 0;
            i += part == left;
        }
        run_blocks_read(&s->partition, s->extent, k, s->block, take_row, c);
    }
}

static int make_room(struct csr *c, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (int64_t)(c->end[i] - c->begin[i]);
    if (sum <= c->room)
        return 0;
    c->room = sum < ROOM ? ROOM : sum + sum / 4;
    free(c->found);
    c->found = malloc((size_t)c->room * NUMBER);
    if (c->found)
        return 0;
    c->room = 0;
    return err_set(-ENOMEM, NULL, -1,
                   "no memory for %lld neighbours of a batch: take a smaller --batch",
                   (long long)sum);
}

int64_t csr_collect(struct store *s, const uint64_t *vertex, int64_t n,
                    const uint64_t **found)
{
    struct csr *c = s->csr;
    read_places(s, vertex, n);
    if (!s->r->failed)
        run_fail(s->r, make_room(c, n));
    if (s->r->failed)
        return 0;
    read_rows(s, n);
    s->searched.rounds++;
    s->searched.longest = 1;
    format_turn(c->found, c->count);
    for (int64_t i = 0; i < c->count; i++)
        s->searched.sum += c->found[i];
    for (int64_t i = 0; i < n; i++)
        s->searched.sum += 31 * vertex[i] * (c->end[i] - c->begin[i]);
    *found = c->found;
    return s->r->failed ? 0 : c->count;
}
