/* Sets of ranges: sorted, in chunks of a bounded size, so that one more range in the
 * middle of a million moves a few kilobytes only. */
#include "iotrace/findings/inside.h"
#include <stdlib.h>
#include <string.h>

#define CHUNK_RUNS 256

struct range {
    int64_t begin, end;
};

struct chunk {
    struct range *r;
    int n, room;
};

struct extents {
    struct chunk *chunk; /* none is empty */
    int chunks, room;
    bool lost;
};

struct place {
    int chunk, at;
};

static int64_t ranges_used; /* of all sets together */

static bool at_end(const struct extents *x, struct place p)
{
    return p.chunk >= x->chunks;
}

static struct range *range_at(const struct extents *x, struct place p)
{
    return &x->chunk[p.chunk].r[p.at];
}

/* The first range that ends at `offset` or later. */
static struct place find(const struct extents *x, int64_t offset)
{
    int low = 0, high = x->chunks;
    while (low < high) {
        int mid = (low + high) / 2;
        const struct chunk *c = &x->chunk[mid];
        if (c->r[c->n - 1].end < offset)
            low = mid + 1;
        else
            high = mid;
    }
    struct place p = {low, 0};
    if (low == x->chunks)
        return p;
    high = x->chunk[p.chunk].n;
    while (p.at < high) {
        int mid = (p.at + high) / 2;
        if (x->chunk[p.chunk].r[mid].end < offset)
            p.at = mid + 1;
        else
            high = mid;
    }
    return p;
}

static struct place next(const struct extents *x, struct place p)
{
    if (++p.at == x->chunk[p.chunk].n)
        p = (struct place){p.chunk + 1, 0};
    return p;
}

/* Room for one more chunk after number `at`. */
static bool chunk_insert(struct extents *x, int at)
{
    if (x->chunks == x->room) {
        int room = x->room ? 2 * x->room : 1;
        struct chunk *more = realloc(x->chunk, (size_t)room * sizeof *more);
        if (!more)
            return false;
        x->chunk = more;
        x->room = room;
    }
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
    struct range *more = realloc(c->r, (size_t)room * sizeof *more);
    if (!more)
        return false;
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
    to->r = malloc(CHUNK_RUNS * sizeof *to->r);
    if (!to->r)
        return false;
    to->room = CHUNK_RUNS;
    to->n = from->n / 2;
    from->n -= to->n;
    memcpy(to->r, &from->r[from->n], (size_t)to->n * sizeof *to->r);
    if (p->at > from->n)
        *p = (struct place){p->chunk + 1, p->at - from->n};
    return true;
}

static bool range_insert(struct extents *x, struct place p, struct range r)
{
    if (ranges_used >= EXTENTS_MAX)
        return false;
    if (p.chunk == x->chunks && x->chunks > 0) /* behind the last one */
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
    ranges_used++;
    return true;
}

static void range_delete(struct extents *x, struct place p)
{
    struct chunk *c = &x->chunk[p.chunk];
    memmove(&c->r[p.at], &c->r[p.at + 1], (size_t)(c->n - p.at - 1) * sizeof *c->r);
    ranges_used--;
    if (--c->n > 0)
        return;
    free(c->r);
    memmove(c, c + 1, (size_t)(x->chunks - p.chunk - 1) * sizeof *c);
    x->chunks--;
}

static int64_t lose(struct extents *x)
{
    for (int i = 0; i < x->chunks; i++) {
        ranges_used -= x->chunk[i].n;
        free(x->chunk[i].r);
    }
    x->chunks = 0;
    x->lost = true;
    return -1;
}

static int64_t min(int64_t a, int64_t b)
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
    struct place first = find(x, begin), p = first;
    int64_t there = 0;
    int touched = 0;
    for (; !at_end(x, p) && range_at(x, p)->begin <= end; p = next(x, p)) {
        const struct range *r = range_at(x, p);
        there += max(0, min(r->end, end) - max(r->begin, begin));
        all.begin = min(all.begin, r->begin);
        all.end = max(all.end, r->end);
        touched++;
    }
    if (touched == 0)
        return range_insert(x, first, all) ? 0 : lose(x);
    for (; touched > 1; touched--) /* the first one takes all */
        range_delete(x, next(x, first));
    *range_at(x, first) = all;
    return there;
}

void extents_remove(struct extents *x, int64_t begin, int64_t end)
{
    if (!x || x->chunks == 0)
        return;
    struct place p = find(x, begin + 1);
    while (!at_end(x, p) && range_at(x, p)->begin < end) {
        struct range *r = range_at(x, p), was = *r;
        if (was.begin < begin && was.end > end) {
            r->end = begin;
            if (!range_insert(x, next(x, p), (struct range){end, was.end}))
                lose(x);
            return;
        }
        if (was.begin < begin)
            r->end = begin;
        else if (was.end > end)
            r->begin = end;
        else
            range_delete(x, p);
        p = find(x, begin + 1);
        if (!at_end(x, p) && range_at(x, p)->end <= begin)
            p = next(x, p);
    }
}

bool extents_meet(const struct extents *x, int64_t begin, int64_t end)
{
    if (!x || x->chunks == 0)
        return false;
    struct place p = find(x, begin + 1);
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
        free(*x);
        *x = NULL;
    }
}
