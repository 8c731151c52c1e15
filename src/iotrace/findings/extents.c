/* Sets of ranges: sorted, in chunks of a bounded size, so that inserting a range among
 * a million moves a few kilobytes only. Millions of ranges fit into no cache: so the
 * ends of chunks are a list of their own, and the search within a chunk begins at the
 * place that the range has if they are spread evenly. */
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_RUNS 256

struct range {
    int64_t begin, end;
};

struct chunk {
    struct range *r;
    int n, room;
};

struct place {
    int chunk, at;
};

struct extents {
    struct chunk *chunk; /* no chunk is empty */
    int64_t *end;        /* end of each chunk's last range */
    int chunks, room;
    bool lost;
    /* Speeds up access that continues where it stopped: the range that was touched last
     * is the answer for (after, until]. */
    struct place last;
    int64_t after, until;
};

static int64_t ranges_used; /* in all sets together */

/* ---- memory of full chunks ----
 *
 * It comes from slabs, each of them one large page if the system has such; else each
 * look at another chunk would also miss in the processor's table of pages. */

#define SLAB_BYTES ((size_t)2 << 20)
#define CHUNK_BYTES (CHUNK_RUNS * sizeof(struct range))

static struct slab { /* stored at the begin of its own first chunk's memory */
    struct slab *next;
} * slabs;
static struct free_chunk {
    struct free_chunk *next;
} * free_chunks;
static size_t slab_used = SLAB_BYTES; /* bytes used of the first slab */

static bool slab_new(void)
{
    struct slab *s = aligned_alloc(SLAB_BYTES, SLAB_BYTES);
    if (!s)
        return false;
    madvise(s, SLAB_BYTES, MADV_HUGEPAGE);
    s->next = slabs;
    slabs = s;
    slab_used = CHUNK_BYTES;
    return true;
}

static struct range *full_take(void)
{
    struct free_chunk *c = free_chunks;
    if (c) {
        free_chunks = c->next;
        return (struct range *)(void *)c;
    }
    if (slab_used == SLAB_BYTES && !slab_new())
        return NULL;
    slab_used += CHUNK_BYTES;
    return (struct range *)(void *)((char *)slabs + slab_used - CHUNK_BYTES);
}

static void chunk_free(struct chunk *c)
{
    if (c->room < CHUNK_RUNS) {
        free(c->r);
        return;
    }
    struct free_chunk *f = (struct free_chunk *)(void *)c->r;
    f->next = free_chunks;
    free_chunks = f;
}

/* ---- places ---- */

static bool at_end(const struct extents *x, struct place p)
{
    return p.chunk >= x->chunks;
}

static struct range *range_at(const struct extents *x, struct place p)
{
    return &x->chunk[p.chunk].r[p.at];
}

/* Counts how many of `n` ranges from `r` on end before `offset`. */
static int count_before(const struct range *r, int n, int64_t offset)
{
    const struct range *at = r;
    for (; n > 1; n -= n / 2)
        at += at[n / 2 - 1].end < offset ? n / 2 : 0;
    return (int)(at - r) + (n == 1 && at->end < offset);
}

/* Counts the same in a chunk: looks around `guess`, further and further away. */
static int count_around(const struct chunk *c, int guess, int64_t offset)
{
    int low = 0, high = c->n;
    for (int step = 4; low < high && step < 4 * CHUNK_RUNS; step *= 4) {
        bool before = c->r[guess].end < offset;
        if (before)
            low = guess + 1;
        else
            high = guess;
        guess = before ? low + step : high - step;
        if (guess < low || guess >= high)
            break;
    }
    return low + count_before(&c->r[low], high - low, offset);
}

static int find_chunk(const struct extents *x, int64_t offset)
{
    const int64_t *at = x->end;
    int n = x->chunks;
    for (; n > 1; n -= n / 2)
        at += at[n / 2 - 1] < offset ? n / 2 : 0;
    return (int)(at - x->end) + (n == 1 && *at < offset);
}

/* Finds the first range that ends at `offset` or later. */
static struct place find_range(const struct extents *x, int64_t offset)
{
    if (offset > x->after && offset <= x->until)
        return x->last;
    struct place p = {find_chunk(x, offset), 0};
    if (p.chunk == x->chunks)
        return p;
    const struct chunk *c = &x->chunk[p.chunk];
    if (p.chunk == 0 || c->n < 16) {
        p.at = count_before(c->r, c->n, offset);
        return p;
    }
    double before = (double)x->end[p.chunk - 1], end = (double)x->end[p.chunk];
    int guess = (int)(((double)offset - before) / (end - before) * c->n);
    p.at = count_around(c, guess < c->n ? guess : c->n - 1, offset);
    return p;
}

/* Updates the indexes after a chunk's ranges have changed. */
static void changed(struct extents *x, int chunk)
{
    const struct chunk *c = &x->chunk[chunk];
    x->end[chunk] = c->r[c->n - 1].end;
    x->after = x->until = 0;
}

static void touched_last(struct extents *x, struct place p)
{
    const struct range *r = range_at(x, p);
    x->last = p;
    x->after = p.at ? r[-1].end : p.chunk ? x->end[p.chunk - 1] : INT64_MIN;
    x->until = r->end;
}

static struct place next(const struct extents *x, struct place p)
{
    if (++p.at == x->chunk[p.chunk].n)
        p = (struct place){p.chunk + 1, 0};
    return p;
}

/* Makes room for a chunk at number `at`. */
static bool chunk_insert(struct extents *x, int at)
{
    if (x->chunks == x->room) {
        int room = x->room ? 2 * x->room : 1;
        struct chunk *more = realloc(x->chunk, (size_t)room * sizeof *more);
        if (!more)
            return false;
        x->chunk = more;
        int64_t *end = realloc(x->end, (size_t)room * sizeof *end);
        if (!end)
            return false;
        x->end = end;
        x->room = room;
    }
    memmove(&x->end[at + 1], &x->end[at], (size_t)(x->chunks - at) * sizeof *x->end);
    memmove(&x->chunk[at + 1], &x->chunk[at],
            (size_t)(x->chunks - at) * sizeof *x->chunk);
    x->chunk[at] = (struct chunk){0};
    x->chunks++;
    return true;
}

static bool chunk_grow(struct chunk *c)
{
    if (c->n < c->room)
        return true;
    int room = c->room ? 4 * c->room : 1;
    struct range *more =
        room < CHUNK_RUNS ? malloc((size_t)room * sizeof *more) : full_take();
    if (!more)
        return false;
    if (c->n)
        memcpy(more, c->r, (size_t)c->n * sizeof *more);
    free(c->r); /* it was not a full one */
    c->r = more;
    c->room = room;
    return true;
}

/* Moves the second half of a full chunk to a new one. */
static bool chunk_split(struct extents *x, struct place *p)
{
    if (!chunk_insert(x, p->chunk + 1))
        return false;
    struct chunk *from = &x->chunk[p->chunk], *to = from + 1;
    to->r = full_take();
    if (!to->r)
        return false;
    to->room = CHUNK_RUNS;
    to->n = from->n / 2;
    from->n -= to->n;
    memcpy(to->r, &from->r[from->n], (size_t)to->n * sizeof *to->r);
    changed(x, p->chunk);
    changed(x, p->chunk + 1);
    if (p->at > from->n)
        *p = (struct place){p->chunk + 1, p->at - from->n};
    return true;
}

static bool range_insert(struct extents *x, struct place p, struct range r)
{
    if (ranges_used >= EXTENTS_MAX)
        return false;
    if (p.chunk == x->chunks && x->chunks > 0) /* behind the last chunk */
        p = (struct place){p.chunk - 1, x->chunk[p.chunk - 1].n};
    if (x->chunks == 0 && !chunk_insert(x, 0))
        return false;
    if (x->chunk[p.chunk].n == CHUNK_RUNS && !chunk_split(x, &p))
        return false;
    struct chunk *c = &x->chunk[p.chunk];
    if (!chunk_grow(c))
        return false;
    memmove(&c->r[p.at + 1], &c->r[p.at], (size_t)(c->n - p.at) * sizeof *c->r);
    c->r[p.at] = r;
    c->n++;
    changed(x, p.chunk);
    touched_last(x, p);
    ranges_used++;
    return true;
}

static void range_delete(struct extents *x, struct place p)
{
    struct chunk *c = &x->chunk[p.chunk];
    memmove(&c->r[p.at], &c->r[p.at + 1], (size_t)(c->n - p.at - 1) * sizeof *c->r);
    ranges_used--;
    if (--c->n > 0) {
        changed(x, p.chunk);
        return;
    }
    chunk_free(c);
    x->after = x->until = 0;
    x->chunks--;
    memmove(c, c + 1, (size_t)(x->chunks - p.chunk) * sizeof *c);
    memmove(&x->end[p.chunk], &x->end[p.chunk + 1],
            (size_t)(x->chunks - p.chunk) * sizeof *x->end);
}

static int64_t lose(struct extents *x)
{
    for (int i = 0; i < x->chunks; i++) {
        ranges_used -= x->chunk[i].n;
        chunk_free(&x->chunk[i]);
    }
    x->chunks = 0;
    x->after = x->until = 0;
    x->lost = true;
    return -1;
}

static int64_t extents_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t extents_add(struct extents **out, int64_t begin, int64_t end)
{
    struct extents *x = *out;
    if (!x && !(x = *out = calloc(1, sizeof *x)))
        return -1;
    if (x->lost)
        return -1;
    struct range all = {begin, end};
    struct place first = find_range(x, begin), p = first;
    int64_t there = 0;
    int touched = 0;
    for (; !at_end(x, p) && range_at(x, p)->begin <= end; p = next(x, p)) {
        const struct range *r = range_at(x, p);
        there += max(0, extents_min(r->end, end) - max(r->begin, begin));
        all.begin = extents_min(all.begin, r->begin);
        all.end = max(all.end, r->end);
        touched++;
    }
    if (touched == 0)
        return range_insert(x, first, all) ? 0 : lose(x);
    for (; touched > 1; touched--) /* the first range takes in all others */
        range_delete(x, next(x, first));
    *range_at(x, first) = all;
    changed(x, first.chunk);
    touched_last(x, first);
    return there;
}

void extents_remove(struct extents *x, int64_t begin, int64_t end)
{
    if (!x || x->chunks == 0)
        return;
    struct place p = find_range(x, begin + 1);
    while (!at_end(x, p) && range_at(x, p)->begin < end) {
        struct range *r = range_at(x, p), was = *r;
        if (was.begin < begin && was.end > end) {
            r->end = begin;
            changed(x, p.chunk);
            if (!range_insert(x, next(x, p), (struct range){end, was.end}))
                lose(x);
            return;
        }
        if (was.begin < begin) {
            r->end = begin;
            changed(x, p.chunk);
        } else if (was.end > end)
            r->begin = end;
        else
            range_delete(x, p);
        p = find_range(x, begin + 1);
        if (!at_end(x, p) && range_at(x, p)->end <= begin)
            p = next(x, p);
    }
}

bool extents_meet(const struct extents *x, int64_t begin, int64_t end)
{
    if (!x || x->chunks == 0)
        return false;
    struct place p = find_range(x, begin + 1);
    return !at_end(x, p) && range_at(x, p)->begin < end;
}

bool extents_lost(const struct extents *x)
{
    return x && x->lost;
}

int64_t extents_count(const struct extents *x)
{
    int64_t n = 0;
    for (int i = 0; x && i < x->chunks; i++)
        n += x->chunk[i].n;
    return n;
}

bool extents_walk(const struct extents *x, struct extents_walk *w, int64_t *begin,
                  int64_t *end)
{
    if (!x || w->chunk >= x->chunks)
        return false;
    struct place p = {w->chunk, w->at};
    *begin = range_at(x, p)->begin;
    *end = range_at(x, p)->end;
    p = next(x, p);
    *w = (struct extents_walk){p.chunk, p.at};
    return true;
}

void extents_free(struct extents **x)
{
    if (*x) {
        lose(*x);
        free((*x)->chunk);
        free((*x)->end);
        free(*x);
        *x = NULL;
    }
}
