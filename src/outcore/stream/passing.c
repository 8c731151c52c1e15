#include "outcore/stream/passing.h"
#include "base/thread.h"
#include "base/units.h"
#include "run/set.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* If there are more files, pages that stay cached are not counted. */
enum { SAMPLE = 1000 };

static int all_readers(const struct passing *p)
{
    return p->consumers * p->readers;
}

static void open_ring(struct passing *p, int i, int slots, char *buffer)
{
    struct ring *g = &p->ring[i];
    ring_open(g, slots, p->at_once, &p->consumer[i / p->readers].data);
    for (int k = 0; k < slots; k++)
        g->slot[k].data = buffer + k * p->slot_bytes;
}

int passing_open(struct passing *p, struct run *r, int slots)
{
    int readers = all_readers(p);
    p->ring = thread_alloc((size_t)readers * sizeof *p->ring, "readers");
    p->consumer = thread_alloc((size_t)p->consumers * sizeof *p->consumer, "readers");
    if (!p->ring || !p->consumer) {
        free(p->ring);
        free(p->consumer);
        p->ring = NULL;
        return -ENOMEM;
    }
    p->at_once = slots >= RING_BATCH || r->lanes * r->world.node_ranks > world_cores();
    for (int i = 0; i < p->consumers; i++)
        bell_open(&p->consumer[i].data, slots);
    for (int i = 0; i < readers; i++)
        open_ring(p, i, slots, run_lane_of(r, p->consumers + i)->buffer);
    return 0;
}

void passing_close(struct passing *p)
{
    if (!p->ring)
        return;
    for (int i = 0; i < all_readers(p); i++)
        ring_close(&p->ring[i]);
    for (int i = 0; i < p->consumers; i++)
        bell_close(&p->consumer[i].data);
    free(p->ring);
    free(p->consumer);
    p->ring = NULL;
}

/* ---- a reader -------------------------------------------------------------------- */

struct reader {
    struct passing *p;
    struct run *r;
    struct run_set set;
    struct ring *ring;
    int64_t next, end, step; /* indices of names */
    char path[RUN_SET_PATH];
    int64_t slot;      /* number of the slot that is filled next */
    int64_t gone, cut; /* files */
};

static bool passing_goes_on(const struct reader *d)
{
    return d->next < d->end && !d->r->failed &&
           !atomic_load_explicit(&d->p->stop, memory_order_relaxed);
}

static void hand_over(struct reader *d, struct slot *s, int64_t name, int64_t bytes,
                      bool last)
{
    s->name = name;
    s->bytes = bytes;
    s->last = last;
    ring_fill(d->ring);
    d->slot++;
}

/* Reads and hands over the parts after the first one. */
static void pass_rest(struct reader *d, int64_t name, struct io_whole *w)
{
    bool last;
    do {
        struct slot *s = ring_room(d->ring, d->r, d->slot);
        w->buf = s->data;
        w->bytes = 0;
        run_whole_part(&d->set, w);
        last = d->r->failed || w->at >= w->size;
        hand_over(d, s, name, w->bytes, last);
    } while (!last);
    run_whole_close(&d->set, w);
}

static int64_t next_name(struct reader *d)
{
    int64_t name = d->next;
    d->next += d->step;
    return name;
}

static struct io_whole whole_of(struct reader *d, int64_t name, struct slot *s)
{
    struct io_whole w = {.name = names_at(d->p->names, name),
                         .fleeting = d->p->skip,
                         .fd = -1,
                         .buf = s->data,
                         .room = d->p->slot_bytes};
    if (d->p->by_path)
        w.path = run_set_path(&d->set, w.name, d->path);
    return w;
}

/* Checks, with stat, before the file is opened. */
static bool is_there_still(struct reader *d, const struct io_whole *w)
{
    struct io_whole looked = *w;
    if (!d->p->looks || !run_whole_stat(&d->set, &looked))
        return true;
    d->gone += !d->r->failed;
    return false;
}

/* Waits for a free slot before it opens the file. */
static void pass_file(struct reader *d)
{
    struct slot *s = ring_room(d->ring, d->r, d->slot);
    int64_t name = next_name(d);
    struct io_whole w = whole_of(d, name, s);
    if (!is_there_still(d, &w))
        return;
    if (run_whole_head(&d->set, &w)) {
        d->gone += !d->r->failed;
        return;
    }
    hand_over(d, s, name, w.bytes, w.fd < 0);
    if (w.fd >= 0)
        pass_rest(d, name, &w);
    d->cut += w.cut;
}

/* ---- by chains of the kernel ----------------------------------------------------- */

struct chains { /* one for each slot */
    struct io_whole whole[RING_SLOTS_MAX];
    int64_t name[RING_SLOTS_MAX];
    bool done[RING_SLOTS_MAX];
    int64_t begun; /* number of slots begun; the first d->slot of them are
                    * handed over */
};

static void begin_chains(struct reader *d, struct chains *c)
{
    while (passing_goes_on(d) && ring_has_room(d->ring, c->begun)) {
        int k = (int)(c->begun % d->ring->slots);
        int64_t name = next_name(d);
        c->whole[k] = whole_of(d, name, &d->ring->slot[k]);
        if (!is_there_still(d, &c->whole[k]))
            continue;
        c->begun++;
        c->done[k] = false;
        c->name[k] = name;
        run_whole_start(&d->set, &c->whole[k]);
    }
}

static void end_chain(struct reader *d, struct chains *c)
{
    const struct io_whole *w = run_whole_reap(&d->set);
    if (!w)
        return;
    c->done[w - c->whole] = true;
    if (w->rc == -ENOENT) {
        c->name[w - c->whole] = -1;
        c->whole[w - c->whole].bytes = 0;
        d->gone++;
    }
    for (int k; d->slot < c->begun && c->done[k = (int)(d->slot % d->ring->slots)];)
        hand_over(d, &d->ring->slot[k], c->name[k], c->whole[k].bytes, true);
}

static void pass_by_chains(struct reader *d)
{
    struct chains c = {.begun = 0};
    while (passing_goes_on(d) || (d->slot < c.begun && !d->r->failed)) {
        if (d->slot == c.begun)
            ring_room(d->ring, d->r, c.begun);
        begin_chains(d, &c);
        if (d->slot < c.begun)
            end_chain(d, &c);
    }
}

static void read_share(struct passing *p, struct run *r)
{
    int i = r->lane - p->consumers, n = all_readers(p);
    struct reader d = {.p = p,
                       .r = r,
                       .ring = &p->ring[i],
                       .next = p->cyclic ? i : units_part(p->names->n, i, n),
                       .end =
                           p->cyclic ? p->names->n : units_part(p->names->n, i + 1, n),
                       .step = p->cyclic ? n : 1};
    run_set_input(&d.set, r, p->path);
    run_set_open(&d.set, IO_READ);
    if (p->chains)
        pass_by_chains(&d);
    else
        while (passing_goes_on(&d))
            pass_file(&d);
    if (r->failed)
        atomic_store(&p->stop, true);
    ring_end(d.ring);
    run_set_close(&d.set, false);
    atomic_fetch_add(&p->gone, d.gone);
    atomic_fetch_add(&p->cut, d.cut);
}

/* ---- a consumer ------------------------------------------------------------------ */

struct taker {
    struct passing *p;
    struct run *r;
    struct consumer *consumer;
    struct ring *ring; /* its own p->readers rings */
    struct sink *sink;
    int last; /* the ring that was taken last */
};

/* Returns the index of the ring to take from next; -1: no ring has a file now. */
static int pick(const struct taker *t)
{
    int n = t->p->readers;
    for (int k = 0; k < n; k++) {
        int i = t->p->round_robin ? (t->last + 1 + k) % n : k;
        if (ring_next(&t->ring[i]))
            return i;
    }
    return -1;
}

static bool all_over(const struct taker *t)
{
    for (int i = 0; i < t->p->readers; i++)
        if (!ring_is_over(&t->ring[i]))
            return false;
    return true;
}

struct awaiting {
    const struct taker *taker;
    struct ring *ring; /* ring whose next slot is awaited; NULL: any ring */
};

static bool passing_is_there(void *awaiting)
{
    const struct awaiting *a = awaiting;
    if (a->ring)
        return ring_next(a->ring);
    return pick(a->taker) >= 0 || all_over(a->taker);
}

static void await_data(struct taker *t, struct ring *ring)
{
    struct awaiting a = {t, ring};
    int64_t before_ns = t->r->phase->act[ACT_IDLE].ns;
    bell_await(&t->consumer->data, t->r, t->p->at_once, passing_is_there, &a);
    t->consumer->wait_ns += t->r->phase->act[ACT_IDLE].ns - before_ns;
}

static void take_file(struct taker *t, struct ring *g)
{
    bool last;
    do {
        await_data(t, g);
        struct slot *s = ring_next(g);
        last = s->last;
        if (s->bytes > 0)
            sink_take(t->sink, s->data, s->bytes);
        if (last && s->name >= 0)
            sink_end(t->sink, names_at(t->p->names, s->name));
        ring_take(g);
    } while (!last);
    progress_step(&t->r->progress, 1, t->r->phase->name);
}

static void take_all(struct passing *p, struct run *r)
{
    struct taker t = {.p = p,
                      .r = r,
                      .consumer = &p->consumer[r->lane],
                      .ring = &p->ring[r->lane * p->readers],
                      .sink = &p->sink[r->lane],
                      .last = -1};
    while (await_data(&t, NULL), (t.last = pick(&t)) >= 0)
        take_file(&t, &t.ring[t.last]);
}

static void pass_lane(struct run *r, void *passing)
{
    struct passing *p = passing;
    if (r->lane < p->consumers)
        take_all(p, r);
    else if (r->lane < passing_lanes(p))
        read_share(p, r);
}

static void start_over(struct passing *p)
{
    for (int i = 0; i < all_readers(p); i++)
        ring_empty(&p->ring[i]);
    for (int i = 0; i < p->consumers; i++)
        p->consumer[i].wait_ns = 0;
    p->stop = false;
    p->gone = p->cut = 0;
    p->sink_wait_ns = p->reader_wait_ns = 0;
}

void passing_run(struct passing *p, struct run *r)
{
    start_over(p);
    run_lanes(r, pass_lane, p);
    for (int i = 0; i < p->consumers; i++)
        p->sink_wait_ns += p->consumer[i].wait_ns;
    for (int i = p->consumers; i < passing_lanes(p); i++)
        p->reader_wait_ns += run_lane_of(r, i)->phase->act[ACT_IDLE].ns;
}

/* ---- plainly --------------------------------------------------------------------- */

struct plain {
    struct passing *p;
    struct sink *sink; /* one per lane */
};

static void plain_file(struct run_set *set, const struct plain *d, int64_t i)
{
    struct run *r = set->run;
    struct sink *s = &d->sink[r->lane];
    struct io_whole w = {
        .name = names_at(d->p->names, i), .buf = r->buffer, .room = d->p->slot_bytes};
    w.fleeting = d->p->skip;
    if (run_whole_open(set, &w) || r->failed)
        return;
    while (w.at < w.size && !run_whole_part(set, &w))
        sink_take(s, w.buf, w.bytes);
    sink_end(s, w.name);
    run_whole_close(set, &w);
}

static void plain_lane(struct run *r, void *plain)
{
    const struct plain *d = plain;
    struct run_set set;
    int64_t n = d->p->names->n, end = units_part(n, r->lane + 1, r->lanes);
    run_set_input(&set, r, d->p->path);
    run_set_open(&set, IO_READ);
    for (int64_t i = units_part(n, r->lane, r->lanes); i < end && !r->failed; i++)
        plain_file(&set, d, i);
    run_set_close(&set, false);
}

void passing_plain(struct passing *p, struct run *r, struct sink *lane)
{
    struct plain d = {p, lane};
    run_lanes(r, plain_lane, &d);
}

static void drop_lane(struct run *r, void *passing)
{
    struct passing *p = passing;
    struct run_set set;
    char path[RUN_SET_PATH];
    run_set_input(&set, r, p->path);
    for (int64_t i = r->lane; i < p->names->n && !r->failed; i += r->lanes) {
        run_set_path(&set, names_at(p->names, i), path);
        if (p->skip && access(path, F_OK))
            continue;
        int64_t n = run_drop_cached(r, path);
        atomic_fetch_add(&p->resident, n > 0 ? n : 0);
    }
}

void passing_drop(struct passing *p, struct run *r)
{
    p->resident = 0;
    if (r->flush || p->names->n <= SAMPLE)
        run_lanes(r, drop_lane, p);
}
