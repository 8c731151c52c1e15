/* Transfers of a rank, with IOMODE=ASYNC as many in flight as --depth says, each in a
 * slot with memory of its own. They are awaited in the order in which they began, each
 * together with all that began before it. So ranks that transfer collectively never
 * wait for each other in two orders.
 *
 * With --threads, transfers are gathered as long as none must come before another, and
 * threads make them in turns. */
#include "base/mem.h"
#include "replay/replay.h"
#include <errno.h>
#include <stdlib.h>

/* time between polls, for libraries that only progress in calls */
#define POLL_NS 1000000
/* Transfers that a thread makes before it waits for the others. It is small, as each
 * new transfer is compared with all that are gathered. */
enum { EACH = 64 };

int replay_flights_open(struct replay_flights *l, struct run *r, int phase)
{
    const struct replay *p = r->context;
    *l = (struct replay_flights){.r = r, .phase = phase, .slots = p->depth};
    if (r->lanes > 1)
        l->slots = r->lanes * EACH;
    l->visible_ns = -r->phase->act[ACT_READ].ns - r->phase->act[ACT_WRITE].ns;
    l->slot = mem_new(l->slots, sizeof *l->slot, "transfers and files");
    l->versions = mem_new(p->is.files + 1, sizeof *l->versions, "transfers and files");
    if (!l->slot || !l->versions)
        return -ENOMEM;
    for (int i = 0; i < l->slots && r->lanes == 1; i++)
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

/* Charges stamping and checking to the transfers if some are in flight meanwhile, as
 * run_queue does. */
static void charge_care(const struct replay_flights *l, enum act a, int64_t before_ns)
{
    struct run *r = l->r;
    int64_t ns = r->phase->act[ACT_CHECK].ns - before_ns;
    if (!r->async || !l->under_way)
        return;
    phase_move(r->phase, ACT_CHECK, a, ns);
    r->care_ns += ns;
}

static void fill_or_poison(const struct replay_flights *l, struct run *r,
                           const struct replay_flight *f)
{
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

static void check_landed(struct replay_flights *l, struct run *r,
                         const struct replay_flight *f)
{
    int n = f->handle->file;
    int64_t before_ns = r->phase->act[ACT_CHECK].ns;
    if (f->io.req.op == IO_OP_WRITE || !r->verify || r->failed || !f->handle->f.io)
        return;
    replay_check(r, n, f->handle->f.path, &l->versions[n], f->buf, f->place,
                 f->io.req.bytes);
    charge_care(l, ACT_READ, before_ns);
}

/* ---- threads ------------------------------------------------------------------- */

/* Makes a transfer with the thread's own file and memory. */
static void transfer_now(struct replay_flights *l, struct run *r,
                         struct replay_flight *f)
{
    struct replay_handle *h = f->handle;
    f->buf = r->buffer;
    f->io.req.buf = f->buf + replay_lead(f->place);
    fill_or_poison(l, r, f);
    run_transfer(r->lane ? &h->more[r->lane - 1] : &h->f, &f->io.req, 1);
    check_landed(l, r, f);
}

static void transfer_mine(struct run *r, void *flights)
{
    struct replay_flights *l = flights;
    for (int i = r->lane; i < l->under_way && !r->failed; i += r->lanes)
        transfer_now(l, r, nth(l, i));
}

static void land_by_threads(struct replay_flights *l)
{
    run_lanes(l->r, transfer_mine, l);
    l->first = (l->first + l->under_way) % l->slots;
    l->under_way = 0;
}

/* ---- in flight ----------------------------------------------------------------- */

void replay_land(struct replay_flights *l, int n)
{
    if (n > 0 && l->r->lanes > 1)
        land_by_threads(l);
    for (; n > 0 && l->under_way; n--) {
        struct replay_flight *f = nth(l, 0);
        l->first = (l->first + 1) % l->slots;
        l->under_way--;
        run_await(&f->handle->f, &f->io);
        check_landed(l, l->r, f);
    }
}

void replay_land_file(struct replay_flights *l, int file)
{
    int n = l->under_way;
    while (n > 0 && nth(l, n - 1)->handle->file != file)
        n--;
    replay_land(l, n);
}

/* True if one transfer must not overtake the other: both touch the same bytes, and at
 * least one writes. */
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
    if (op == IO_OP_READ && r->verify && !l->versions[h->file].n)
        l->versions[h->file] = replay_versions_of(r, h->file, l->phase);
    if (r->lanes > 1) {
        l->under_way++;
        return;
    }
    if (!r->async) {
        transfer_now(l, r, f);
        return;
    }
    fill_or_poison(l, r, f);
    run_submit(&h->f, &f->io);
    l->under_way++;
}

void replay_poll(struct replay_flights *l)
{
    int64_t now_ns = clock_ns();
    if (now_ns - l->polled_ns < POLL_NS)
        return;
    l->polled_ns = now_ns;
    for (int i = 0; i < l->under_way && l->r->async; i++)
        run_poll(&nth(l, i)->handle->f);
}
