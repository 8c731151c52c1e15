/* Timed transfers: one, or several together. */
#include "base/err.h"
#include "run/run.h"
#include <string.h>
#include <sys/resource.h>

/* Reads the thread's clock if other threads transfer, too. */
int64_t run_cpu_ns(const struct run *r)
{
    return r->lanes > 1 ? clock_thread_ns() : clock_cpu_ns();
}

/* Begins an activity. Reading the processor clock is a system call, so it happens while
 * the activity's own clock is stopped. */
static enum act transfer_enter(struct run *r, enum act a)
{
    r->cpu_ns[a] -= run_cpu_ns(r);
    return phase_act(r->phase, a);
}

static void leave(struct run *r, enum act a, enum act before)
{
    phase_act(r->phase, before);
    r->cpu_ns[a] += run_cpu_ns(r);
}

enum act run_act_of(enum io_op op)
{
    return op == IO_OP_READ ? ACT_READ : ACT_WRITE;
}

bool run_goes_on(const struct run_file *f)
{
    const struct run *r = f->run;
    bool direct = r->io_flags & IO_DIRECT & ~f->without;
    bool memory = r->fs.in_memory && !r->options->node_dirs;
    return f->engine && io_engine_stores(f->engine) && !direct && !memory;
}

void run_fail(struct run *r, int rc)
{
    if (rc && !r->failed)
        r->failed = rc;
}

void run_flush(struct run_file *f, bool discard)
{
    struct run *r = f->run;
    enum act before = transfer_enter(r, ACT_WRITE);
    run_fail(r, io_file_flush(f->io, discard));
    leave(r, ACT_WRITE, before);
}

void run_sync(struct run_file *f)
{
    struct run *r = f->run;
    enum act before = transfer_enter(r, ACT_SYNC);
    int64_t begin_ns = r->phase->switch_ns;
    run_fail(r, io_file_sync_own(f->io, r->failed));
    leave(r, ACT_SYNC, before);
    phase_op(r->phase, PHASE_OP_FSYNC, begin_ns, r->phase->switch_ns);
}

void run_sync_meet(struct run_file *f)
{
    struct run *r = f->run;
    enum act before = transfer_enter(r, ACT_SYNC);
    run_fail(r, io_file_sync_meet(f->io));
    leave(r, ACT_SYNC, before);
}

/* The number of times this thread has given up its processor to wait. */
static long waits_so_far(void)
{
    struct rusage u;
    return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

/* Observes only the first requests of a phase: each observation takes two
 * system calls. */
int run_start_at(struct run_file *f, struct io_queue *q, struct io_req *list[], int n,
                 int64_t now_ns)
{
    enum { MOST = 128 };
    struct run_held *h = &f->run->held;
    if (!f->run->in_kernel || f->depth == 1 || h->looked >= MOST)
        return io_queue_start_at(q, list, n, now_ns);
    long waited = waits_so_far();
    int rc = io_queue_start_at(q, list, n, now_ns);
    waited = waits_so_far() - waited;
    h->depth = f->depth;
    h->looked += n;
    h->held += waited < n ? (int)waited : n;
    return rc;
}

static struct io_req *transfer_of(const struct run_file *f, struct io_req *req)
{
    req->file = f->io;
    return req;
}

void run_transfer(struct run_file *f, struct io_req *req, int n)
{
    struct run *r = f->run;
    struct io_req *list[64];
    enum act a = run_act_of(req->op);
    if (!f->io || (r->failed && !r->options->collective))
        return;
    r->cpu_ns[a] -= run_cpu_ns(r);
    int64_t begin_ns = clock_ns();
    enum act before = phase_act_at(r->phase, a, begin_ns);
    int rc = 0;
    for (int k = 0; k < n && (!rc || r->options->collective); k += 64) {
        int m = n - k < 64 ? n - k : 64;
        for (int i = 0; i < m; i++)
            list[i] = transfer_of(f, &req[k + i]);
        int started =
            run_start_at(f, io_file_queue(f->io), list, m, k ? clock_ns() : begin_ns);
        rc = rc ? rc : started;
    }
    int64_t started_ns = r->queues ? clock_ns() : 0;
    int waited = io_file_wait(f->io);
    leave(r, a, before);
    if (r->queues)
        phase_visible(r->phase, a, started_ns - begin_ns,
                      r->phase->switch_ns - started_ns);
    rc = rc ? rc : waited;
    run_fail(r, rc);
    for (int i = 0; i < n && !rc; i++)
        phase_transfer(r->phase, a, req[i].bytes, req[i].start_ns, req[i].end_ns);
}

void run_submit(struct run_file *f, struct run_io *t)
{
    struct run *r = f->run;
    struct io_req *req = transfer_of(f, &t->req);
    t->under_way = false;
    if (!f->io || (r->failed && !r->options->collective))
        return;
    int64_t begin_ns = clock_ns();
    enum act a = run_act_of(t->req.op), before = phase_act_at(r->phase, a, begin_ns);
    int rc = run_start_at(f, io_file_queue(f->io), &req, 1, begin_ns);
    int64_t end_ns = clock_ns();
    if (r->queues)
        phase_visible(r->phase, a, end_ns - begin_ns, 0);
    phase_act_at(r->phase, before, end_ns);
    run_fail(r, rc);
    t->under_way = !rc;
    if (!r->async)
        run_await(f, t);
}

/* If the list is refused, an asynchronous engine has none of it in flight; a
 * synchronous one has made the others. */
void run_submit_list(struct run_file *f, struct run_io t[], int n)
{
    struct run *r = f->run;
    struct io_req *list[RUN_LIST_MOST];
    for (int i = 0; i < n; i++) {
        list[i] = transfer_of(f, &t[i].req);
        t[i].under_way = false;
    }
    if (!f->io || r->failed || !n)
        return;
    int64_t begin_ns = clock_ns();
    enum act a = run_act_of(t->req.op), before = phase_act_at(r->phase, a, begin_ns);
    int rc = run_start_at(f, io_file_queue(f->io), list, n, begin_ns);
    int64_t end_ns = clock_ns();
    if (r->queues)
        phase_visible(r->phase, a, end_ns - begin_ns, 0);
    phase_act_at(r->phase, before, end_ns);
    run_fail(r, rc);
    for (int i = 0; i < n; i++)
        t[i].under_way = !rc;
}

void run_await(struct run_file *f, struct run_io *t)
{
    struct run *r = f->run;
    enum act a = run_act_of(t->req.op);
    if (!t->under_way)
        return;
    t->under_way = false;
    int64_t begin_ns = clock_ns();
    enum act before = phase_act_at(r->phase, a, begin_ns);
    int rc = io_file_wait_for(f->io, &t->req);
    int64_t end_ns = clock_ns();
    if (r->queues)
        phase_visible(r->phase, a, 0, end_ns - begin_ns);
    phase_act_at(r->phase, before, end_ns);
    if (rc)
        run_fail(r, rc);
    else
        phase_transfer(r->phase, a, t->req.done, t->req.start_ns, t->req.end_ns);
}

bool run_await_room(struct run_file *f, enum io_op op)
{
    struct run *r = f->run;
    struct io_queue *q = io_file_queue(f->io);
    if (io_queue_room(q) > 0)
        return true;
    int rc = 0;
    int64_t begin_ns = clock_ns();
    enum act a = run_act_of(op), before = phase_act_at(r->phase, a, begin_ns);
    while (!rc && io_queue_room(q) <= 0)
        rc = io_queue_wait_for(q, NULL);
    int64_t end_ns = clock_ns();
    phase_visible(r->phase, a, 0, end_ns - begin_ns);
    phase_act_at(r->phase, before, end_ns);
    run_fail(r, rc);
    return !rc;
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
    run_fail(r, io_cache_drop(f->path, offset, bytes, &resident));
    phase_act(r->phase, before);
}
