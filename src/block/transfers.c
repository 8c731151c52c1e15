/* The bodies of stages: every lane keeps a queue full of requests for its blocks. */
#include "base/err.h"
#include "base/mem.h"
#include "block/block.h"
#include "run/lanes.h"
#include "run/workload.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* For phases in which blocks repeat. */
enum { RECENT = 4096, FREE = -1 };

struct block_repeats {
    int64_t busy[BLOCK_DEPTH_MAX]; /* the block in each slot; FREE: none */
    bool writes[BLOCK_DEPTH_MAX];
    int64_t number, block; /* drawn last: it is asked for again while its block is
                            * in flight */
    /* Versions of blocks written recently in the mixed phase, which its reads must
     * find. A full check would need a table of all blocks. */
    struct {
        int64_t block;
        int version;
    } recent[RECENT];
};

struct lane_work {
    struct run *r;
    const struct block *b;
    const struct block_work *w;
    struct block_lane *lane;
    struct block_repeats *repeats; /* NULL: no block comes twice in this phase */
    int place[2];                  /* the workers whose blocks this lane
                                    * reads, writes */
};

/* ---- checks of any plan ---------------------------------------------------------- */

int block_buffers(const struct run *r, int64_t *bytes)
{
    const struct block *b = r->context;
    if (__builtin_mul_overflow(r->lanes * b->set.depth, b->set.block, bytes))
        return err_usage("--threads x --depth x --block-size exceeds 2^63 bytes");
    return 0;
}

int block_check_limit(const struct block_settings *set)
{
    if (set->run.time_s && set->run.collective)
        return err_usage("--time: collective transfers must be as many on every rank, "
                         "and by time they are not: leave out one of the two");
    return 0;
}

int block_check_direct(struct run *r, const char *path, const char *what)
{
    const struct block *b = r->context;
    const struct block_settings *set = &b->set;
    if (strcmp(set->run.cache, "direct") != 0)
        return 0;
    int align = run_direct_align(r, path);
    int64_t sizes = set->block;
    for (int k = 0; k < b->order.sizes; k++)
        sizes |= b->order.size[k];
    if (set->misalign >= 0 && (sizes | set->misalign) % align == 0)
        return 0;
    return run_refuse_direct(r, what);
}

/* ---- memory of lanes ------------------------------------------------------------- */

static bool repeats(const struct block *b)
{
    return order_repeats(&b->order) || block_loops(b);
}

int64_t block_lane_bytes(const struct block *b)
{
    return block_sizes_bytes(b) + block_arrivals_bytes(b) +
           (repeats(b) ? (int64_t)sizeof(struct block_repeats) : 0);
}

int block_lanes_open(struct block *b, int lanes)
{
    b->lane = mem_new(lanes, sizeof *b->lane, "lanes");
    bool made = b->lane;
    for (int i = 0; i < lanes && made && b->order.sizes; i++)
        made = (b->lane[i].sizes = block_sizes_open(b));
    for (int i = 0; i < lanes && made && b->set.rate; i++)
        made = (b->lane[i].arrivals = block_arrivals_open());
    for (int i = 0; i < lanes && made && repeats(b); i++) {
        b->lane[i].repeats = mem_new(1, sizeof *b->lane[i].repeats, "lanes");
        made = b->lane[i].repeats;
    }
    return made ? 0 : -ENOMEM;
}

void block_lanes_close(struct block *b, int lanes)
{
    for (int i = 0; i < lanes && b->lane; i++) {
        free(b->lane[i].sizes);
        free(b->lane[i].arrivals);
        free(b->lane[i].repeats);
    }
    free(b->lane);
    b->lane = NULL;
}

static void lane_begin(struct run *r, void *context)
{
    const struct block *b = r->context;
    (void)context;
    struct block_lane *l = &b->lane[r->lane];
    l->unsynced = 0;
    if (l->arrivals)
        block_arrivals_begin(r, l->arrivals);
    if (l->repeats)
        l->repeats->number = FREE;
    for (int i = 0; l->repeats && i < BLOCK_DEPTH_MAX; i++)
        l->repeats->busy[i] = FREE;
    for (int i = 0; l->repeats && i < RECENT; i++)
        l->repeats->recent[i].block = FREE;
}

/* ---- blocks that repeat ---------------------------------------------------------- */

/* Reserves the block for a slot. Two transfers of a block may be in flight together
 * only if both read: otherwise what is read, or stays, would be a matter of chance. */
static bool claim(const struct lane_work *l, int64_t block, enum io_op op, int slot)
{
    struct block_repeats *a = l->repeats;
    for (int i = 0; i < l->b->set.depth; i++)
        if (a->busy[i] == block && (a->writes[i] || op == IO_OP_WRITE))
            return false;
    a->busy[slot] = block;
    a->writes[slot] = op == IO_OP_WRITE;
    return true;
}

static int version_of(const struct lane_work *l, int64_t i)
{
    if (l->w->lays)
        return 1;
    return order_version(&l->b->order, &l->b->past, l->w->mixed, i);
}

static void remember(const struct lane_work *l, int64_t block, int64_t i)
{
    struct block_repeats *a = l->repeats;
    a->recent[block % RECENT].block = block;
    a->recent[block % RECENT].version = version_of(l, i);
}

/* The writes before number i; in a mixed phase, i itself counts them. */
static struct order_past past_of(const struct lane_work *l, int64_t i)
{
    struct order_past past = l->b->past;
    if (l->w->mixed)
        past.mixed = i;
    return past;
}

/* The version in the stamp if it is possible, else the least version due. */
static int version_due(const struct lane_work *l, const struct io_req *req,
                       const struct stamp *s, int64_t i, int64_t block)
{
    const struct block_repeats *a = l->repeats;
    struct order_past past = past_of(l, i);
    int least = order_least(&l->b->order, &past, order_again(&l->b->order, &past, i));
    if (!order_repeats(&l->b->order))
        return least;
    if (a->recent[block % RECENT].block == block)
        least = a->recent[block % RECENT].version;
    int found = stamp_version(req->buf, req->bytes, s);
    return found > least &&
                   order_wrote(&l->b->order, &past, l->place[IO_OP_READ], block, found)
               ? found
               : least;
}

/* ---- requests -------------------------------------------------------------------- */

static struct run_file *transfers_file_of(const struct lane_work *l, int64_t block)
{
    return run_file_nth(l->r, (int)order_file(&l->b->order, block));
}

static enum io_op op_of(const struct lane_work *l, int64_t i)
{
    if (!l->w->mixed)
        return l->w->op;
    return order_reads(&l->b->order, i) ? IO_OP_READ : IO_OP_WRITE;
}

/* The first number of number i's block. */
static int64_t first_of(const struct lane_work *l, int64_t i)
{
    const struct order *o = &l->b->order;
    bool again = l->w->mixed || l->w->op == IO_OP_READ;
    return again ? order_again(o, &l->b->past, i) : order_first(o, i);
}

static int64_t transfers_block_of(const struct lane_work *l, enum io_op op, int64_t i)
{
    return l->w->lays ? i : order_block(&l->b->order, l->place[op], first_of(l, i));
}

static int64_t draw(const struct lane_work *l, enum io_op op, int64_t i)
{
    struct block_repeats *a = l->repeats;
    if (!a)
        return transfers_block_of(l, op, i);
    if (a->number != i) {
        a->number = i;
        a->block = transfers_block_of(l, op, i);
    }
    return a->block;
}

static struct stamp stamp_of(const struct lane_work *l, enum io_op op, int64_t i,
                             int64_t block)
{
    const struct block *b = l->b;
    int place = l->place[op];
    int64_t first = first_of(l, i),
            source = content_source(&b->content, &b->order, place, first);
    struct stamp s = run_stamp_of(
        l->r, place, (int)(source == first ? block : transfers_block_of(l, op, source)),
        0);
    s.plain = b->content.compress;
    return s;
}

static bool arrives(const struct lane_work *l)
{
    return l->lane->arrivals && !l->w->untimed;
}

static int64_t due(void *lane_work, int64_t i, int64_t now_ns)
{
    const struct lane_work *l = lane_work;
    return block_arrivals_due(l->b, l->lane->arrivals, i, now_ns);
}

static struct io_req request(const void *lane_work, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    const struct block *b = l->b;
    struct run *r = l->r;
    enum io_op op = op_of(l, i);
    int64_t block = draw(l, op, i);
    struct extent e = order_extent(&b->order, l->place[op], block);
    struct io_req req = {.op = op,
                         .buf = r->buffer + slot * b->set.block,
                         .offset = e.offset,
                         .bytes = e.bytes,
                         .file = transfers_file_of(l, block)->io};
    if (l->repeats && !claim(l, block, op, slot)) {
        req.bytes = -1;
    } else if (op == IO_OP_WRITE && b->stamps) {
        struct stamp s = stamp_of(l, op, i, block);
        s.version = version_of(l, i);
        run_fill(r, req.buf, req.bytes, &s);
    } else if (op == IO_OP_READ && l->w->checks) {
        run_poison(r, req.buf, req.bytes);
    }
    if (arrives(l))
        block_arrivals_take(l->lane->arrivals, slot);
    return req;
}

static void done(void *lane_work, const struct io_req *req, int64_t i, int slot)
{
    const struct lane_work *l = lane_work;
    int64_t block =
        l->repeats ? l->repeats->busy[slot] : transfers_block_of(l, req->op, i);
    if (l->repeats)
        l->repeats->busy[slot] = FREE;
    if (arrives(l))
        block_arrivals_done(l->lane->arrivals, req, slot);
    if (l->lane->sizes && !l->w->untimed)
        block_sizes_note(l->lane->sizes, order_kind(&l->b->order, block), req);
    if (l->w->mixed && req->op == IO_OP_WRITE && order_repeats(&l->b->order))
        remember(l, block, i);
    if (req->op == IO_OP_WRITE || !l->w->checks)
        return;
    struct stamp s = stamp_of(l, req->op, i, block);
    s.version = version_due(l, req, &s, i, block);
    run_check_stamp(transfers_file_of(l, block), req->buf, req->offset, req->bytes, &s);
}

/* ---- queues ---------------------------------------------------------------------- */

/* Pauses. Nothing of this lane's is in flight, but the kernel may read ahead or
 * write back. */
static void pause_between(struct run *r, int64_t us)
{
    r->phase->paused |= run_goes_on(r->file);
    clock_wait_until(clock_ns() + us * 1000);
}

static bool writes(const struct lane_work *l)
{
    return l->w->mixed || l->w->op == IO_OP_WRITE;
}

static bool syncs(const struct lane_work *l)
{
    return l->b->fsync && !l->w->untimed && writes(l);
}

/* The number of the next `most` transfers to start without interruption. Thinking and
 * syncing begin with nothing in flight, or they would count as time of transfers. */
static int64_t batch_of(const struct lane_work *l, int64_t from, int64_t most)
{
    const struct block *b = l->b;
    int64_t n = 0, written = l->lane->unsynced;
    if (b->set.think_us && !l->w->untimed && most > b->set.depth)
        most = b->set.depth;
    if (!syncs(l))
        return most;
    while (n < most && written < b->fsync)
        written += op_of(l, from + n++) == IO_OP_WRITE;
    return n;
}

static void sync_file(const struct lane_work *l, struct run_file *f)
{
    run_sync(f);
    if (io_engine_calls_mpi(l->r->engine))
        run_sync_meet(f);
}

/* Syncs the files that were written to since the last sync. */
static void sync_batch(const struct lane_work *l, int64_t from, int64_t n)
{
    struct run *r = l->r;
    int64_t files = l->b->order.files;
    for (int64_t i = from; i < from + n; i++)
        l->lane->unsynced += op_of(l, i) == IO_OP_WRITE;
    if (l->lane->unsynced < l->b->fsync || r->failed)
        return;
    for (int64_t k = 0; k < files; k++)
        sync_file(l, run_file_nth(r, (int)k));
    l->lane->unsynced = 0;
}

static int64_t queue(struct lane_work *l, int64_t n, double limit_s)
{
    struct io_req req[BLOCK_DEPTH_MAX];
    struct run *r = l->r;
    const struct block_work *w = l->w;
    bool notes = l->repeats || l->lane->sizes || arrives(l);
    struct run_queue q = {.due = arrives(l) ? due : NULL,
                          .make = request,
                          .done = w->checks || notes ? done : NULL,
                          .context = l,
                          .from = r->made,
                          .total = n,
                          .limit_s = limit_s,
                          .untimed = w->untimed,
                          .mixed = w->mixed,
                          .all_visible = (writes(l) && l->b->stamps) || w->checks,
                          .brief = true};
    return run_queue(r->file, req, &q);
}

/* Transfers up to the limit, or what is left. */
static void transfer_blocks(struct run *r, void *work)
{
    const struct block *b = r->context;
    const struct block_work *w = work;
    struct block_lane *lane = &b->lane[r->lane];
    struct lane_work l = {
        .r = r,
        .b = b,
        .w = w,
        .lane = lane,
        .repeats = w->lays ? NULL : lane->repeats,
        .place = {[IO_OP_READ] = run_shifted(r, 1), [IO_OP_WRITE] = r->worker}};
    int64_t begin_ns = w->limit_s ? clock_ns() : 0, n = 0;
    double limit_s = w->limit_s;
    while (r->made < w->total && limit_s >= 0) {
        int64_t from = r->made;
        if (n && b->set.think_us && !w->untimed)
            pause_between(r, b->set.think_us);
        n = batch_of(&l, from, w->total - from);
        if (!n || queue(&l, n, limit_s) < n)
            break;
        if (syncs(&l))
            sync_batch(&l, from, n);
        if (w->limit_s) /* 0 would mean no limit */
            limit_s = w->limit_s - (double)(clock_ns() - begin_ns) / 1e9 + 1e-9;
    }
    if (w->limit_s && arrives(&l) && r->made < w->total)
        block_arrivals_end(b, lane->arrivals, r->made, w->limit_s);
}

void block_transfer(struct run *r, run_lane_body *body, struct block_work *w)
{
    const struct block *b = r->context;
    run_lanes(r, body, w);
    if (!w->limit_s)
        return;
    int64_t asked = w->total;
    w->total = run_wear_out(r);
    if (w->total == asked && w->op == IO_OP_WRITE && !w->mixed &&
        asked != BLOCK_ENDLESS)
        report_warning(r->report, "time_not_reached",
                       "--time=%g: the fastest rank wrote all of BYTES before, and the "
                       "phase ended then: give more BYTES, or leave out --once",
                       w->limit_s);
    w->limit_s = 0;
    w->untimed |=
        b->rate > 0; /* they are not offered, but done as fast as they can be */
    run_lanes(r, body, w);
}

static void transfer(struct run *r, struct block_work *w)
{
    const struct block *b = r->context;
    run_lanes(r, lane_begin, NULL);
    bool timed = !w->untimed;
    block_transfer(r, transfer_blocks, w);
    if (timed)
        block_sizes_figures(r);
    if (timed && b->set.rate)
        block_arrivals_figures(r);
}

/* ---- stages ---------------------------------------------------------------------- */

/* Syncs outside of the measurement: its time and processor time do not count as the
 * run's sync. */
static void sync_untimed(struct run *r)
{
    const struct block *b = r->context;
    enum act before = phase_act(r->phase, ACT_CHECK);
    int rc = err_agree(r->world.comm, r->failed);
    for (int64_t i = 0; i < r->lanes * b->order.files && !rc; i++)
        rc = r->file[i].io ? io_file_sync(r->file[i].io) : 0;
    run_fail(r, rc);
    phase_act(r->phase, before);
}

int block_lay_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {.op = IO_OP_WRITE,
                           .lays = true,
                           .untimed = true,
                           .total = order_blocks(&b->order)};
    (void)context;
    if (run_files_open(r, IO_WRITE | IO_CREATE))
        return r->failed;
    transfer(r, &w);
    if (r->flush)
        sync_untimed(r);
    return run_files_close(r, false);
}

static int64_t total_of(const struct block *b, int64_t all)
{
    return block_loops(b) && all ? BLOCK_ENDLESS : all;
}

int block_write_all(struct run *r, void *context)
{
    struct block *b = r->context;
    struct block_work w = {.op = IO_OP_WRITE,
                           .limit_s = b->set.run.time_s,
                           .total = total_of(b, order_blocks(&b->order))};
    (void)context;
    memset(b->moved, 0, sizeof b->moved);
    b->past = (struct order_past){.laid = b->set.overwrite};
    transfer(r, &w);
    b->past.written = w.total;
    return 0;
}

int block_mix_all(struct run *r, void *context)
{
    struct block *b = r->context;
    struct block_work w = {.mixed = true,
                           .checks = r->verify && !b->pass,
                           .limit_s = b->set.run.time_s,
                           .total = total_of(b, b->past.written)};
    (void)context;
    transfer(r, &w);
    b->past.mixed = w.total;
    return 0;
}

int block_read_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {.op = IO_OP_READ,
                           .checks = r->verify && !b->pass,
                           .limit_s = b->set.run.time_s,
                           .total = total_of(b, b->past.written)};
    (void)context;
    transfer(r, &w);
    return 0;
}

/* --verify=pass: checks in a pass of its own, so that checking takes no time of the
 * timed transfers. */
int block_check_all(struct run *r, void *context)
{
    const struct block *b = r->context;
    struct block_work w = {
        .op = IO_OP_READ, .checks = true, .untimed = true, .total = b->past.written};
    (void)context;
    transfer(r, &w);
    return 0;
}
