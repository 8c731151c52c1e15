/* Transfers of a rank, of which some are under way with IOMODE=ASYNC: as many as
 * --depth says, each in a slot with memory of its own. They are awaited in the order in
 * which they began, each together with all that began before it. So ranks that transfer
 * collectively never wait for each other in two orders. */
#include "base/err.h"
#include "replay/replay.h"
#include <errno.h>
#include <stdlib.h>

#define POLL_NS 1000000 /* libraries that need calls to move on get one so often */

int replay_flights_open(struct replay_flights *l, struct run *r, int phase)
{
    const struct replay *p = r->context;
    *l = (struct replay_flights){.r = r, .phase = phase, .slots = p->depth};
    l->visible_ns = -r->phase->act[ACT_READ].ns - r->phase->act[ACT_WRITE].ns;
    l->slot = calloc((size_t)l->slots, sizeof *l->slot);
    l->versions = calloc((size_t)p->is.files + 1, sizeof *l->versions);
    if (!l->slot || !l->versions)
        return err_set(-ENOMEM, NULL, -1, "no memory for %d transfers and %d files",
                       l->slots, p->is.files);
    for (int i = 0; i < l->slots; i++)
        l->slot[i].buf = r->buffer + i * p->slot_bytes;
    return 0;
}

void replay_flights_close(struct replay_flights *l)
{
    const struct phase *p = l->r->phase;
    replay_land(l, l->under_way);
    if (l->r->async)
        l->r->queue_ns += l->visible_ns + p->act[ACT_READ].ns + p->act[ACT_WRITE].ns;
    free(l->slot);
    free(l->versions);
}

static struct replay_flight *nth(const struct replay_flights *l, int n)
{
    return &l->slot[(l->first + n) % l->slots];
}

/* Stamping and checking hide what is under way meanwhile: then they are time of
 * transfers, as in run_queue. */
static void charge_care(const struct replay_flights *l, enum act a, int64_t before_ns)
{
    struct run *r = l->r;
    int64_t ns = r->phase->act[ACT_CHECK].ns - before_ns;
    if (!l->under_way)
        return;
    phase_move(r->phase, ACT_CHECK, a, ns);
    r->care_ns += ns;
}

static void fill_or_poison(const struct replay_flights *l,
                           const struct replay_flight *f)
{
    struct run *r = l->r;
    const struct io_req *req = &f->io.req;
    int64_t before_ns = r->phase->act[ACT_CHECK].ns;
    if (!r->verify)
        return;
    if (req->op == IO_OP_WRITE)
        replay_fill(r, f->handle->file, l->phase + 1, f->buf, f->place, req->bytes);
    else
        run_poison(r, req->buf, req->bytes);
    charge_care(l, run_act_of(req->op), before_ns);
}

static void check_landed(struct replay_flights *l, const struct replay_flight *f)
{
    struct run *r = l->r;
    int n = f->handle->file;
    struct replay_versions *v = &l->versions[n];
    int64_t before_ns = r->phase->act[ACT_CHECK].ns;
    if (f->io.req.op == IO_OP_WRITE || !r->verify || r->failed || !f->handle->f.io)
        return;
    if (!v->n)
        *v = replay_versions_of(r, n, l->phase);
    replay_check(r, n, f->handle->f.path, v, f->buf, f->place, f->io.req.bytes);
    charge_care(l, ACT_READ, before_ns);
}

void replay_land(struct replay_flights *l, int n)
{
    for (; n > 0; n--) {
        struct replay_flight *f = nth(l, 0);
        l->first = (l->first + 1) % l->slots;
        l->under_way--;
        run_await(&f->handle->f, &f->io);
        check_landed(l, f);
    }
}

void replay_land_file(struct replay_flights *l, int file)
{
    int n = l->under_way;
    while (n > 0 && nth(l, n - 1)->handle->file != file)
        n--;
    replay_land(l, n);
}

/* What a transfer must not overtake: one of the same bytes, unless both read. */
static bool conflicts(const struct replay_flight *a, const struct replay_flight *b)
{
    const struct io_req *x = &a->io.req, *y = &b->io.req;
    return a->handle->file == b->handle->file &&
           (x->op == IO_OP_WRITE || y->op == IO_OP_WRITE) &&
           x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}

static void land_conflicts(struct replay_flights *l, const struct replay_flight *f)
{
    int n = l->under_way;
    while (n > 0 && !conflicts(nth(l, n - 1), f))
        n--;
    replay_land(l, n);
}

void replay_fly(struct replay_flights *l, struct replay_handle *h, enum io_op op,
                int64_t place, int64_t bytes)
{
    struct run *r = l->r;
    const struct replay *p = r->context;
    if (l->under_way == l->slots)
        replay_land(l, 1);
    struct replay_flight *f = nth(l, l->under_way);
    f->handle = h;
    f->place = place;
    f->io.req = (struct io_req){.op = op,
                                .buf = f->buf + replay_lead(place),
                                .offset = place + p->file[h->file].shift,
                                .bytes = bytes};
    land_conflicts(l, f);
    fill_or_poison(l, f);
    if (r->async) {
        run_submit(&h->f, &f->io);
        l->under_way++;
        return;
    }
    run_transfer(&h->f, &f->io.req, 1);
    check_landed(l, f);
}

void replay_poll(struct replay_flights *l)
{
    int64_t now_ns = clock_ns();
    if (now_ns - l->polled_ns < POLL_NS)
        return;
    l->polled_ns = now_ns;
    for (int i = 0; i < l->under_way; i++)
        run_poll(&nth(l, i)->handle->f);
}
