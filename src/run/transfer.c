/* Timed transfers: one, several at once, or a queue that is kept full. */
#include "base/err.h"
#include "run/run.h"
#include <string.h>

/* Of the thread alone where there are others that transfer. */
static int64_t cpu_ns(const struct run *r)
{
    return r->lanes > 1 ? clock_thread_ns() : clock_cpu_ns();
}

/* The clock of processor time is a system call: it is read while that of the activity
 * stands still. */
static enum act enter(struct run *r, enum act a)
{
    r->cpu_ns[a] -= cpu_ns(r);
    return phase_act(r->phase, a);
}

static void leave(struct run *r, enum act a, enum act before)
{
    phase_act(r->phase, before);
    r->cpu_ns[a] += cpu_ns(r);
}

static enum act act_of(enum io_op op)
{
    return op == IO_OP_READ ? ACT_READ : ACT_WRITE;
}

static void fail(struct run *r, int rc)
{
    if (rc && !r->failed)
        r->failed = rc;
}

void run_sync(struct run_file *f)
{
    struct run *r = f->run;
    enum act before = enter(r, ACT_SYNC);
    fail(r, io_file_sync_own(f->io, r->failed));
    leave(r, ACT_SYNC, before);
}

void run_sync_meet(struct run_file *f)
{
    struct run *r = f->run;
    enum act before = enter(r, ACT_SYNC);
    fail(r, io_file_sync_meet(f->io));
    leave(r, ACT_SYNC, before);
}

void run_transfer(struct run_file *f, struct io_req *req, int n)
{
    struct run *r = f->run;
    struct io_req *list[64];
    enum act a = act_of(req->op);
    if (!f->io || (r->failed && !r->options->collective))
        return;
    enum act before = enter(r, a);
    int64_t begin_ns = r->phase->switch_ns;
    int rc = 0;
    for (int k = 0; k < n && (!rc || r->options->collective); k += 64) {
        int m = n - k < 64 ? n - k : 64;
        for (int i = 0; i < m; i++)
            list[i] = &req[k + i];
        int started = io_file_start(f->io, list, m);
        rc = rc ? rc : started;
    }
    int64_t started_ns = r->queues ? clock_ns() : 0;
    int waited = io_file_wait(f->io);
    leave(r, a, before);
    if (r->queues)
        phase_visible(r->phase, a, started_ns - begin_ns,
                      r->phase->switch_ns - started_ns);
    rc = rc ? rc : waited;
    fail(r, rc);
    for (int i = 0; i < n && !rc; i++)
        phase_transfer(r->phase, a, req[i].bytes, req[i].start_ns, req[i].end_ns);
}

void run_submit(struct run_file *f, struct run_io *t)
{
    struct run *r = f->run;
    struct io_req *req = &t->req;
    t->under_way = false;
    if (!f->io || (r->failed && !r->options->collective))
        return;
    enum act before = phase_act(r->phase, act_of(t->req.op));
    int64_t begin_ns = clock_ns();
    int rc = io_file_start(f->io, &req, 1);
    if (r->queues)
        phase_visible(r->phase, act_of(t->req.op), clock_ns() - begin_ns, 0);
    phase_act(r->phase, before);
    fail(r, rc);
    t->under_way = !rc;
    if (!r->async)
        run_await(f, t);
}

void run_await(struct run_file *f, struct run_io *t)
{
    struct run *r = f->run;
    enum act a = act_of(t->req.op);
    if (!t->under_way)
        return;
    t->under_way = false;
    enum act before = phase_act(r->phase, a);
    int64_t begin_ns = clock_ns();
    int rc = io_file_wait_for(f->io, &t->req);
    if (r->queues)
        phase_visible(r->phase, a, 0, clock_ns() - begin_ns);
    phase_act(r->phase, before);
    if (rc)
        fail(r, rc);
    else
        phase_transfer(r->phase, a, t->req.bytes, t->req.start_ns, t->req.end_ns);
}

void run_poll(struct run_file *f)
{
    if (f->io)
        io_file_poll(f->io);
}

void run_forget(struct run_file *f, int64_t offset, int64_t bytes)
{
    struct run *r = f->run;
    int64_t resident;
    if (!r->flush || !f->io || r->failed || !io_engine_stores(r->engine))
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    fail(r, io_cache_drop(f->path, offset, bytes, &resident));
    phase_act(r->phase, before);
}

/* ---- a queue that is kept full --------------------------------------------------- */

enum { START_MOST = 64 };

struct queue {
    struct run_file *f;
    struct io_req *req; /* depth slots */
    enum act act;
    run_request *make;
    const void *context;
    int64_t total, made, done;
    int64_t wait_ns;
    int rc;
};

/* A slot is empty (no start_ns), under way (no end_ns), or done and to be counted. */
static bool under_way(const struct io_req *req)
{
    return req->start_ns && !req->end_ns;
}

static void count(struct queue *q, struct io_req *req)
{
    if (!req->start_ns)
        return;
    if (req->rc)
        q->rc = req->rc;
    else
        phase_transfer(q->f->run->phase, q->act, req->bytes, req->start_ns,
                       req->end_ns);
    req->start_ns = 0;
    q->done++;
}

/* Counts what is done, and starts as many new requests in its place. */
static void refill(struct queue *q)
{
    struct io_req *list[START_MOST];
    int n = 0;
    for (int k = 0; k < q->f->depth && !q->rc; k++) {
        struct io_req *req = &q->req[k];
        if (under_way(req))
            continue;
        count(q, req);
        if (q->rc || q->made == q->total)
            continue;
        *req = q->make(q->context, q->made++, k);
        list[n++] = req;
        if (n == START_MOST) {
            q->rc = io_file_start(q->f->io, list, n);
            n = 0;
        }
    }
    if (n && !q->rc)
        q->rc = io_file_start(q->f->io, list, n);
}

static int wait_for_any(struct queue *q)
{
    bool queues = q->f->run->queues;
    int64_t begin_ns = queues ? clock_ns() : 0;
    int rc = io_file_wait_for(q->f->io, NULL);
    q->wait_ns += queues ? clock_ns() - begin_ns : 0;
    return rc;
}

/* Returns with nothing under way, unless waiting itself failed: then there is no point
 * in waiting once more. */
static int turn_over(struct queue *q)
{
    while (q->done < q->total) {
        int64_t before = q->done;
        refill(q);
        if (q->rc)
            break;
        progress_step(&q->f->run->progress, q->done - before, q->f->run->phase->name);
        int rc = wait_for_any(q);
        if (rc)
            return rc;
    }
    int waited = io_file_wait(q->f->io);
    return q->rc ? q->rc : waited;
}

void run_queue(struct run_file *f, struct io_req *req, int64_t total, enum io_op op,
               run_request *make, const void *context)
{
    struct run *r = f->run;
    struct queue q = {.f = f,
                      .req = req,
                      .act = act_of(op),
                      .make = make,
                      .context = context,
                      .total = total};
    if (!f->io || r->failed)
        return;
    memset(req, 0, (size_t)f->depth * sizeof *req);
    enum act before = enter(r, q.act);
    int64_t begin_ns = r->phase->switch_ns;
    int rc = turn_over(&q);
    leave(r, q.act, before);
    if (r->queues)
        phase_visible(r->phase, q.act, r->phase->switch_ns - begin_ns - q.wait_ns,
                      q.wait_ns);
    fail(r, rc);
}
