#include "outcore/graph/store.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "run/stream/blocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ZEROS = 1 << 16 };

/* ---- memory ---------------------------------------------------------------------- */

static int64_t chunks_memory(const struct store *s)
{
    return s->capacity * 32 + s->block + graph_slots(s->r) * s->request +
           STORE_PIECE * (int64_t)(sizeof *s->extent + sizeof *s->with) +
           4 * s->request;
}

int64_t store_memory(const struct store *s)
{
    return s->layout->memory(s);
}

int64_t store_vertices(const struct store *s)
{
    uint64_t ranks = (uint64_t)s->r->world.size, rank = (uint64_t)s->r->world.rank;
    return (int64_t)(s->vertices / ranks + (rank < s->vertices % ranks));
}

int64_t store_pif_at(const struct store *s, uint64_t vertex)
{
    return PIF_HEAD + PIF_ENTRY * (int64_t)(vertex / (uint64_t)s->r->world.size);
}

static int64_t pif_bytes(const struct store *s)
{
    return PIF_HEAD + PIF_ENTRY * store_vertices(s);
}

static int chunks_open(struct store *s)
{
    void *memory = NULL;
    int rc = buf_alloc(&memory, s->capacity * 32, "the adjacency buffer");
    s->memory = s->held.key = memory;
    s->extent = mem_new(STORE_PIECE, sizeof *s->extent, "a piece of a flush");
    s->with = mem_new(STORE_PIECE, sizeof *s->with, "a piece of a flush");
    s->tail = mem_new(1, s->block, "a piece of a flush");
    if (!rc && (!s->extent || !s->with || !s->tail))
        rc = -ENOMEM;
    if (rc)
        return rc;
    s->held.value = s->held.key + s->capacity;
    s->other.key = s->held.value + s->capacity;
    s->other.value = s->other.key + s->capacity;
    return 0;
}

int store_open(struct store *s)
{
    return s->layout->open(s);
}

static void chunks_close(struct store *s)
{
    buf_free(s->memory);
    free(s->extent);
    free(s->with);
    free(s->tail);
    s->memory = NULL;
    s->extent = NULL;
    s->with = NULL;
    s->tail = NULL;
}

void store_close(struct store *s)
{
    if (s->layout)
        s->layout->close(s);
}

/* ---- files ----------------------------------------------------------------------- */

static void store_path_of(const struct store *s, const char *role, char *path,
                          size_t size)
{
    char which[32];
    snprintf(which, sizeof which, ".%d", s->r->world.rank);
    if (s->kept.name)
        stored_path(s, role, path, size);
    else
        run_path(s->r, role, which, path, size);
}

void store_name(struct store *s)
{
    struct run *r = s->r;
    char path[sizeof s->pif.path];
    store_path_of(s, s->layout->places, path, sizeof path);
    run_file_at(&s->pif, r, path, false, true, s->layout->places_bytes(s), s->request,
                1);
    store_path_of(s, s->layout->lists, path, sizeof path);
    run_file_at(&s->partition, r, path, false, true, s->kept.bytes, s->request,
                graph_slots(r));
    s->n = 0;
    s->entries = s->kept.entries;
    s->chunks = s->kept.chunks;
    s->sum = 0;
    s->bytes = s->kept.name ? s->kept.bytes : PARTITION_HEAD;
    s->moved =
        (struct store_moved){.pif = {.block = s->block}, .links = {.block = s->block}};
}

static void write_zeros(struct store *s)
{
    struct run_stream *w = NULL;
    int64_t left = pif_bytes(s), piece = s->request < ZEROS ? s->request : ZEROS;
    struct run_stream_how how = {
        .op = IO_OP_WRITE, .slot_bytes = s->request, .slots = 1, .record = piece};
    if (run_stream_open(&w, &s->pif, &how))
        return;
    for (int64_t n; left; left -= n) {
        n = left < piece ? left : piece;
        memset(run_stream_room(w, n), 0, (size_t)n);
    }
    run_stream_flush(w);
    run_stream_close(&w);
}

int store_make(struct store *s)
{
    struct run *r = s->r;
    int64_t bytes = pif_bytes(s);
    if (!s->layout->made)
        return 0;
    r->aside = r->samples_only = true;
    run_phase_begin(r, "make_pif");
    if (!run_file_open(&s->pif, IO_WRITE | IO_CREATE))
        write_zeros(s);
    run_file_close(&s->pif, true);
    int rc = run_phase_end(r);
    r->aside = r->samples_only = false;
    world_reduce(r->world.comm, &bytes, 1, MPI_INT64_T, MPI_SUM);
    return rc ? rc : run_moved(r, "make_pif", s->pif.path, 0, bytes);
}

static void chunks_begin(struct store *s)
{
    struct run_stream_how how = {.op = IO_OP_WRITE,
                                 .slot_bytes = s->request,
                                 .slots = graph_slots(s->r),
                                 .record = CHUNK_HEAD};
    s->tail_at = 0;
    memset(s->tail, 0, (size_t)s->block);
    run_stream_open(&s->append, &s->partition, &how);
}

static void chunks_abandon(struct store *s)
{
    run_stream_close(&s->append);
}

int store_files_open(struct store *s, bool ingest)
{
    int flags = ingest ? IO_READ | IO_WRITE : IO_READ, make = ingest ? IO_CREATE : 0;
    int rc = run_file_open(&s->pif, flags | (s->layout->made ? 0 : make));
    if (!rc)
        rc = run_file_open(&s->partition, flags | make);
    if (rc || !ingest)
        return rc;
    s->layout->begin(s);
    s->r->failed = err_agree(s->r->world.comm, s->r->failed);
    return s->r->failed;
}

int store_files_close(struct store *s, bool written)
{
    s->layout->abandon(s);
    run_file_close(&s->partition, written);
    return run_file_close(&s->pif, written);
}

int store_moved_all(const struct store *s, const char *phase, int64_t read,
                    int64_t written)
{
    int64_t all[2] = {read, written};
    world_reduce(s->r->world.comm, all, 2, MPI_INT64_T, MPI_SUM);
    return run_moved(s->r, phase, s->partition.path, all[0], all[1]);
}

/* Closes files that a failed phase has left open. */
static int leave(struct store *s)
{
    int rc = s->pif.io ? io_file_close(&s->pif.io) : 0;
    int other = s->partition.io ? io_file_close(&s->partition.io) : 0;
    return err_agree(s->r->world.comm, rc ? rc : other);
}

int store_remove(struct store *s)
{
    if (!s->pif.run)
        return 0;
    if (s->kept.name)
        return leave(s);
    int rc = run_file_remove(&s->pif);
    int other = run_file_remove(&s->partition);
    return rc ? rc : other;
}

/* ---- a flush --------------------------------------------------------------------- */

/* The end of the entries of the vertex at i. */
static int64_t list_end(const struct store *s, int64_t i)
{
    uint64_t vertex = s->held.key[i];
    for (i++; i < s->n && s->held.key[i] == vertex; i++)
        ;
    return i;
}

static int64_t chunk_bytes(int64_t count)
{
    return CHUNK_HEAD + 8 * count;
}

/* Keeps those of `n` bytes for offset `at` that belong to the tail. */
static void keep_tail(struct store *s, int64_t at, const char *data, int64_t n)
{
    int64_t skip = s->tail_at > at ? s->tail_at - at : 0;
    if (skip < n)
        memcpy(s->tail + (at + skip - s->tail_at), data + skip, (size_t)(n - skip));
}

static void store_put(struct store *s, const void *data, int64_t n)
{
    keep_tail(s, s->bytes, data, n);
    run_stream_put(s->append, data, n);
    s->bytes += n;
}

static void put_chunk(struct store *s, int64_t i, int64_t end)
{
    char head[CHUNK_HEAD];
    uint64_t *neighbour = s->held.value + i, vertex = s->held.key[i];
    struct chunk c = {.vertex = vertex, .count = (uint32_t)(end - i)};
    for (int64_t k = 0; k < end - i; k++)
        s->sum += 31 * vertex + neighbour[k];
    format_turn(neighbour, end - i);
    c.crc = format_crc(vertex, c.count, neighbour);
    format_put_chunk(head, &c);
    store_put(s, head, CHUNK_HEAD);
    store_put(s, neighbour, 8 * (end - i));
    s->chunks++;
}

/* Appends the chunks. The file's last block is written again, from memory. */
static void append_chunks(struct store *s)
{
    int64_t from = s->tail_at, old = s->bytes, end = old, lists = 0;
    for (int64_t i = 0; i < s->n; i = list_end(s, i))
        lists++;
    end += lists * CHUNK_HEAD + 8 * s->n;
    run_stream_seek(s->append, from);
    run_stream_put(s->append, s->tail, old - from);
    s->tail_at = end / s->block * s->block > from ? end / s->block * s->block : from;
    for (int64_t i = 0, next; i < s->n; i = next) {
        next = list_end(s, i);
        put_chunk(s, i, next);
    }
    run_stream_flush(s->append);
    s->moved.append_blocks += units_div_up(end, s->block) - old / s->block;
    s->moved.append_bytes += end - from;
    s->entries += s->n;
}

struct linking {
    struct store *s;
    int64_t at;    /* of the next vertex: the beginning of its entries, */
    int64_t chunk; /* and its new chunk */
    int64_t links; /* in s->other: offsets, and the values to store there */
};

/* Updates a vertex's entry, and notes the link from its previous chunk to the
 * new one. */
static void note_chunk(void *context, const struct extent *e, int64_t i, void *data)
{
    struct linking *l = context;
    struct store *s = l->s;
    struct pif_entry entry = format_pif_entry(data);
    int64_t end = list_end(s, l->at);
    (void)e;
    (void)i;
    if (entry.last) {
        s->other.key[l->links] = entry.last;
        s->other.value[l->links++] = (uint64_t)l->chunk;
    } else
        entry.first = (uint64_t)l->chunk;
    entry.last = (uint64_t)l->chunk;
    format_put_pif_entry(data, entry);
    l->chunk += chunk_bytes(end - l->at);
    l->at = end;
}

bool store_piece_ends(const struct store *s, int64_t n, int64_t offset)
{
    if (n == STORE_PIECE)
        return true;
    const struct extent *last = &s->extent[n - 1];
    return n > STORE_PIECE / 2 &&
           (last->offset + last->bytes - 1) / s->block != offset / s->block;
}

static void update_pif(struct store *s, struct linking *l)
{
    int64_t i = 0;
    spans_again(&s->moved.pif, pif_bytes(s));
    while (i < s->n && !s->r->failed) {
        int64_t n = 0;
        for (; i < s->n; i = list_end(s, i)) {
            int64_t offset = store_pif_at(s, s->held.key[i]);
            if (store_piece_ends(s, n, offset))
                break;
            spans_add(&s->moved.pif, offset, offset + PIF_ENTRY);
            s->extent[n++] = (struct extent){.offset = offset, .bytes = PIF_ENTRY};
        }
        run_blocks_change(&s->pif, s->extent, n, s->block, note_chunk, l);
    }
}

/* Links a chunk in the tail, too, as the tail is written again. */
static void link_tail(struct store *s, int64_t at, const void *next)
{
    if (at >= s->tail_at)
        memcpy(s->tail + (at - s->tail_at), next, 8);
}

static void update_links(struct store *s, int64_t links)
{
    int64_t i = 0;
    pairs_sort(&s->other, &s->held, links);
    format_turn(s->other.value, links);
    spans_again(&s->moved.links, s->bytes);
    while (i < links && !s->r->failed) {
        int64_t n = 0;
        for (; i < links; i++) {
            int64_t offset = (int64_t)s->other.key[i];
            if (store_piece_ends(s, n, offset))
                break;
            spans_add(&s->moved.links, offset, offset + 8);
            link_tail(s, offset, &s->other.value[i]);
            s->with[n] = &s->other.value[i];
            s->extent[n++] = (struct extent){.offset = offset, .bytes = 8};
        }
        run_blocks_update(&s->partition, s->extent, s->with, n, s->block);
    }
}

static void flush(struct store *s)
{
    struct linking l = {.s = s, .chunk = s->bytes};
    if (!s->n || s->r->failed || !s->append) {
        s->n = 0;
        return;
    }
    pairs_sort(&s->held, &s->other, s->n);
    append_chunks(s);
    update_pif(s, &l);
    update_links(s, l.links);
    s->n = 0;
}

static void chunks_add(struct store *s, const uint64_t *edge, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        s->held.key[s->n] = edge[2 * i];
        s->held.value[s->n++] = edge[2 * i + 1];
        if (s->n == s->capacity)
            flush(s);
    }
}

void store_add(struct store *s, const uint64_t *edge, int64_t n)
{
    s->layout->add(s, edge, n);
}

void store_end(struct store *s)
{
    s->layout->end(s);
}

const struct store_layout store_chunks = {
    .places = "PIF",
    .lists = "PARTITION",
    .places_magic = FORMAT_PIF,
    .lists_magic = FORMAT_PARTITION,
    .made = true,
    .memory = chunks_memory,
    .places_bytes = pif_bytes,
    .open = chunks_open,
    .close = chunks_close,
    .begin = chunks_begin,
    .add = chunks_add,
    .end = flush,
    .abandon = chunks_abandon,
};

/* ---- heads ----------------------------------------------------------------------- */

static void write_head(struct run_file *f, const void *head)
{
    void *buffer = NULL;
    int rc = buf_alloc(&buffer, PIF_HEAD, "a head");
    struct io_req req = {.op = IO_OP_WRITE, .buf = buffer, .bytes = PIF_HEAD};
    run_fail(f->run, rc);
    if (rc)
        return;
    memcpy(buffer, head, PIF_HEAD);
    run_transfer(f, &req, 1);
    buf_free(buffer);
}

void store_heads(struct store *s)
{
    char head[PIF_HEAD];
    if (!s->layout->made || s->kept.name)
        return;
    if (!run_file_open(&s->pif, IO_WRITE) && !run_file_open(&s->partition, IO_WRITE)) {
        format_pif_head(head, s->vertices, (uint64_t)s->bytes, (uint64_t)s->chunks);
        write_head(&s->pif, head);
        format_partition_head(head, s->vertices, (uint64_t)s->entries);
        write_head(&s->partition, head);
    }
    store_files_close(s, true);
}
