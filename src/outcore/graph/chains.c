/* Reads chunks of PARTITION in rounds: the first chunks of all vertices of a batch, in
 * the order of the file, then the second ones, and so on. Each block is read once in a
 * round, neighbours in one request. */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "outcore/graph/search.h"
#include "run/stream/blocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

/* ---- memory ---------------------------------------------------------------------- */

int64_t chains_memory(const struct store *s, int64_t most)
{
    return most * 32 + 2 * s->request;
}

int chains_open(struct chains *c, struct store *s, int64_t most)
{
    void *window = NULL;
    *c = (struct chains){.s = s, .most = most, .window_room = 2 * s->request};
    c->place.key = mem_new(most, 32, "batches of vertices");
    int rc = buf_alloc(&window, c->window_room, "a window");
    c->window = window;
    if (!c->place.key && !rc)
        rc = -ENOMEM;
    if (rc)
        return rc;
    c->place.value = c->place.key + most;
    c->other.key = c->place.value + most;
    c->other.value = c->other.key + most;
    return 0;
}

static uint64_t *lower(uint64_t *a, uint64_t *b)
{
    return b && b < a ? b : a;
}

void chains_close(struct chains *c)
{
    free(lower(c->place.key, c->other.key));
    free(lower(c->found.key, c->sorted.key));
    buf_free(c->window);
    *c = (struct chains){.s = c->s};
}

/* Makes room; four arrays are in one allocation, and what is found stays. */
static int chains_make_room(struct chains *c, int64_t more)
{
    int64_t room = c->room ? c->room : ROOM;
    while (room < c->count + more)
        room *= 2;
    if (room == c->room)
        return 0;
    uint64_t *memory = mem_grow(NULL, room, 32, "neighbours of a batch (--batch)");
    if (!memory)
        return -ENOMEM;
    if (c->count) {
        memcpy(memory, c->found.key, (size_t)c->count * 8);
        memcpy(memory + room, c->found.value, (size_t)c->count * 8);
    }
    free(lower(c->found.key, c->sorted.key));
    c->found = (struct pairs){memory, memory + room};
    c->sorted = (struct pairs){memory + 2 * room, memory + 3 * room};
    c->room = room;
    return 0;
}

/* ---- the window ------------------------------------------------------------------ */

/* Reads on to `end`, in whole blocks; the window's bytes from `from` on stay. */
static bool read_on(struct chains *c, int64_t from, int64_t end)
{
    struct store *s = c->s;
    int64_t keep = c->window_end > from ? c->window_end - from : 0;
    int64_t at = c->window_end > from ? c->window_end : from / s->block * s->block;
    int64_t begin = keep ? from : at;
    end = units_round_up(end, s->block) < s->bytes ? units_round_up(end, s->block)
                                                   : s->bytes;
    if (end - begin > c->window_room) {
        void *window = NULL;
        int64_t room = units_round_up(2 * (end - begin), BUF_ALIGN);
        int rc = buf_alloc(&window, room, "a long chunk");
        run_fail(s->r, rc);
        if (rc)
            return false;
        memcpy(window, c->window + (from - c->window_at), (size_t)keep);
        buf_free(c->window);
        c->window = window;
        c->window_room = room;
    } else if (keep)
        memmove(c->window, c->window + (from - c->window_at), (size_t)keep);
    c->window_at = begin;
    for (int64_t n; at < end && !s->r->failed; at += n) {
        n = end - at < s->request ? end - at : s->request;
        struct io_req req = {.op = IO_OP_READ,
                             .buf = c->window + (at - begin),
                             .offset = at,
                             .bytes = n};
        run_transfer(&s->partition, &req, 1);
    }
    c->window_end = end;
    return !s->r->failed;
}

/* The end of a row of heads whose blocks are needed in any case. */
static int64_t row_end(const struct chains *c, int64_t i)
{
    const struct store *s = c->s;
    int64_t from = (int64_t)c->place.key[i], end = from + CHUNK_HEAD;
    for (i++; i < c->n; i++) {
        int64_t next = (int64_t)c->place.key[i];
        if (next / s->block * s->block > units_round_up(end, s->block) ||
            next + CHUNK_HEAD - from > s->request)
            break;
        end = next + CHUNK_HEAD;
    }
    return end;
}

static const char *bytes_at(struct chains *c, int64_t from, int64_t bytes, int64_t end)
{
    if (from + bytes > c->window_end && !read_on(c, from, end))
        return NULL;
    return c->window + (from - c->window_at);
}

/* ---- chunks ---------------------------------------------------------------------- */

static int chains_wrong(const struct chains *c, int64_t i, int64_t at, const char *what,
                        uint64_t value)
{
    uint64_t vertex = c->vertex[c->place.value[i]];
    return err_set(-EIO, c->s->partition.path, at,
                   "vertex %llu: the chunk here %s (%llu): the file is damaged",
                   (unsigned long long)vertex, what, (unsigned long long)value);
}

/* Checks a chunk's offset. Chunks are appended, so a chain leads only forward, and
 * never in a circle. */
static int check_place(const struct chains *c, const char *path, uint64_t vertex,
                       int64_t from, uint64_t at)
{
    const char *why = at < PARTITION_HEAD || at % CHUNK_ALIGN ? "where no chunk can be"
                      : at > (uint64_t)(c->s->bytes - CHUNK_HEAD)
                          ? "outside of the file"
                      : (int64_t)at <= from ? "at or before the chunk itself: a circle"
                                            : NULL;
    if (!why)
        return 0;
    return err_set(-EIO, path, from,
                   "vertex %llu: what is here leads to a chunk at offset %llu, %s: the "
                   "file is damaged",
                   (unsigned long long)vertex, (unsigned long long)at, why);
}

static int take_chunk(struct chains *c, int64_t i, const struct chunk *h,
                      const char *neighbours)
{
    uint64_t number = c->place.value[i], vertex = c->vertex[number];
    int64_t at = (int64_t)c->place.key[i];
    if (h->vertex != vertex)
        return chains_wrong(c, i, at, "is another vertex's", h->vertex);
    if (format_crc(h->vertex, h->count, neighbours) != h->crc)
        return chains_wrong(c, i, at, "has another CRC-32 than it says", h->crc);
    int rc = chains_make_room(c, h->count);
    if (rc)
        return rc;
    memcpy(c->found.value + c->count, neighbours, (size_t)h->count * 8);
    format_turn(c->found.value + c->count, h->count);
    for (uint32_t k = 0; k < h->count; k++) {
        c->found.key[c->count + k] = number;
        c->s->searched.sum += 31 * vertex + c->found.value[c->count + k];
    }
    c->count += h->count;
    if (!h->next)
        return 0;
    c->other.key[c->following] = h->next;
    c->other.value[c->following++] = number;
    return check_place(c, c->s->partition.path, vertex, at, h->next);
}

static int read_chunk(struct chains *c, int64_t i)
{
    int64_t at = (int64_t)c->place.key[i], end;
    bool inside = at + CHUNK_HEAD <= c->window_end;
    const char *data = bytes_at(c, at, CHUNK_HEAD, inside ? 0 : row_end(c, i));
    if (!data)
        return 0;
    struct chunk h = format_chunk(data);
    end = at + CHUNK_HEAD + 8 * (int64_t)h.count;
    if (end > c->s->bytes)
        return chains_wrong(c, i, at, "has more neighbours than the file has room for",
                            h.count);
    data = bytes_at(c, at, end - at, end);
    if (!data)
        return 0;
    spans_add(&c->s->searched.lists, at, end);
    return take_chunk(c, i, &h, data + CHUNK_HEAD);
}

static void read_round(struct chains *c)
{
    struct run *r = c->s->r;
    pairs_sort(&c->place, &c->other, c->n);
    spans_again(&c->s->searched.lists, c->s->bytes);
    c->window_at = c->window_end = c->following = 0;
    for (int64_t i = 0; i < c->n && !r->failed; i++)
        run_fail(r, read_chunk(c, i));
    struct pairs swap = c->place;
    c->place = c->other;
    c->other = swap;
    c->n = c->following;
    c->s->searched.rounds++;
}

/* ---- a batch --------------------------------------------------------------------- */

struct firsts {
    struct chains *c;
    int64_t number; /* of the first vertex of the piece */
};

static void note_first(void *context, const struct extent *e, int64_t i,
                       const void *data)
{
    const struct firsts *f = context;
    struct chains *c = f->c;
    uint64_t number = (uint64_t)(f->number + i);
    struct pif_entry entry = format_pif_entry(data);
    if (!entry.first || c->s->r->failed)
        return;
    if (entry.first < PARTITION_HEAD || entry.first % CHUNK_ALIGN ||
        entry.first > (uint64_t)(c->s->bytes - CHUNK_HEAD)) {
        run_fail(c->s->r,
                 err_set(-EIO, c->s->pif.path, e->offset,
                         "vertex %llu: its first chunk is said to be at offset %llu of "
                         "%s, where there can be none: the file is damaged",
                         (unsigned long long)c->vertex[number],
                         (unsigned long long)entry.first, c->s->partition.path));
        return;
    }
    c->place.key[c->n] = entry.first;
    c->place.value[c->n++] = number;
}

static void read_firsts(struct chains *c, int64_t n)
{
    struct store *s = c->s;
    c->n = 0;
    spans_again(&s->searched.places, s->pif.bytes);
    for (int64_t i = 0; i < n && !s->r->failed;) {
        struct firsts f = {c, i};
        int64_t k = 0;
        for (; i < n; i++) {
            int64_t offset = store_pif_at(s, c->vertex[i]);
            if (store_piece_ends(s, k, offset))
                break;
            spans_add(&s->searched.places, offset, offset + PIF_ENTRY);
            s->extent[k++] = (struct extent){.offset = offset, .bytes = PIF_ENTRY};
        }
        run_blocks_read(&s->pif, s->extent, k, s->block, note_first, &f);
    }
}

int64_t chains_collect(struct chains *c, const uint64_t *vertex, int64_t n)
{
    struct store_searched *d = &c->s->searched;
    int64_t rounds = d->rounds;
    c->vertex = vertex;
    c->count = 0;
    read_firsts(c, n);
    while (c->n && !c->s->r->failed)
        read_round(c);
    if (d->rounds - rounds > d->longest)
        d->longest = d->rounds - rounds;
    if (c->count)
        pairs_sort(&c->found, &c->sorted, c->count);
    return c->s->r->failed ? 0 : c->count;
}
