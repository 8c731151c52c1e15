/* Files by FILETYPE, and timed transfers. */
#include "base/err.h"
#include "run/run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

void run_file_name(struct run_file *f, struct run *r, const char *role, int64_t bytes,
                   int64_t max_request, int depth)
{
    const struct run_options *o = r->options;
    char rep[16] = "", which[16] = "";
    memset(f, 0, sizeof *f);
    f->run = r;
    f->comm = r->shared ? r->world.comm : MPI_COMM_SELF;
    f->bytes = bytes;
    f->max_request = max_request;
    f->depth = depth;
    if (!r->shared)
        snprintf(which, sizeof which, ".%06d", r->world.rank);
    if (o->keep && o->repeat > 1)
        snprintf(rep, sizeof rep, ".rep%d", r->rep);
    int n = snprintf(f->path, sizeof f->path, "%s/%s-%s.%s%s%s", o->dir,
                     r->program->name, r->id, role, rep, which);
    if (n >= (int)sizeof f->path && !r->failed)
        r->failed = err_set(-ENAMETOOLONG, NULL, -1, "--dir is too long a path");
}

/* Tells the report what the engine turned out to be: once, by the first file. */
static void describe(struct run_file *f)
{
    struct run *r = f->run;
    const char *ak[RUN_HINTS_MAX], *av[RUN_HINTS_MAX];
    const char *ek[RUN_HINTS_MAX], *ev[RUN_HINTS_MAX];
    static struct io_hint effect[RUN_HINTS_MAX];
    int n = io_file_hints(f->io, effect, RUN_HINTS_MAX);
    for (int i = 0; i < r->hint_count; i++) {
        ak[i] = r->hints[i].key;
        av[i] = r->hints[i].value;
    }
    for (int i = 0; i < n; i++) {
        ek[i] = effect[i].key;
        ev[i] = effect[i].value;
    }
    struct report_io io = {.engine = r->engine,
                           .version = "",
                           .io_layer = io_file_layer(f->io),
                           .mode = "sync",
                           .chosen_because = "IOMODE=SYNC",
                           .collective = r->options->collective,
                           .cache = r->options->cache,
                           .sync = r->flush ? "phase" : "none",
                           .depth = f->depth,
                           .timeout_s = r->options->io_timeout,
                           .hints_asked = r->hint_count,
                           .hints_in_effect = n,
                           .asked_key = ak,
                           .asked_value = av,
                           .effect_key = ek,
                           .effect_value = ev};
    report_io(r->report, &io);
    r->described = true;
}

/* Before a file is read: drops its pages on this node (flush), and counts those that
 * are there. One rank of each node does it for a shared file; all wait for it. */
static void empty_cache(struct run_file *f)
{
    struct run *r = f->run;
    int64_t resident = -1;
    enum act before = phase_act(r->phase, ACT_CHECK);
    if (!r->shared || r->world.node_rank == 0) {
        int rc = r->flush ? io_cache_drop(f->path, 0, 0, &resident)
                          : io_cache_resident(f->path, 0, 0, &resident);
        if (rc && !r->failed)
            r->failed = rc;
        if (resident >= 0) {
            r->looked_bytes += f->bytes;
            r->resident_bytes += resident;
        }
    }
    if (r->shared) {
        phase_act(r->phase, ACT_IDLE);
        MPI_Barrier(f->comm);
    }
    phase_act(r->phase, before);
}

int run_file_open(struct run_file *f, int flags)
{
    struct run *r = f->run;
    if (!r->engine)
        return 0;
    if ((flags & IO_READ) && !(flags & IO_CREATE) && io_engine_stores(r->engine))
        empty_cache(f);
    struct io_open o = {.engine = r->engine,
                        .comm = f->comm,
                        .path = f->path,
                        .flags = flags | r->io_flags,
                        .bytes = f->bytes,
                        .max_request = f->max_request,
                        .depth = f->depth,
                        .timeout_s = r->options->io_timeout,
                        .hints = r->hints,
                        .hint_count = r->hint_count};
    enum act before = phase_act(r->phase, ACT_OPEN_CLOSE);
    int rc = io_file_open(&f->io, &o);
    if (rc && !r->failed)
        r->failed = rc;
    phase_act(r->phase, ACT_IDLE); /* for those who are still opening theirs */
    r->failed = err_agree(r->world.comm, r->failed);
    phase_act(r->phase, before);
    if (!r->failed && !r->described)
        describe(f);
    return r->failed;
}

/* The clock of processor time is a system call: it is read while that of the activity
 * stands still. */
static enum act enter(struct run *r, enum act a)
{
    r->cpu_ns[a] -= clock_cpu_ns();
    return phase_act(r->phase, a);
}

static void leave(struct run *r, enum act a, enum act before)
{
    phase_act(r->phase, before);
    r->cpu_ns[a] += clock_cpu_ns();
}

int run_file_close(struct run_file *f, bool written)
{
    struct run *r = f->run;
    if (!f->io)
        return 0;
    enum act before = phase_act(r->phase, ACT_IDLE);
    int rc = 0;
    /* After a failure there is nothing worth syncing; and OMPIO, after a collective
     * write that failed, leaves MPI_File_sync on one rank while the others stay. */
    int failed = r->shared && written ? err_agree(f->comm, r->failed) : r->failed;
    if (written && r->flush && !failed) {
        enter(r, ACT_SYNC);
        rc = io_file_sync(f->io);
        leave(r, ACT_SYNC, ACT_IDLE);
    }
    if (r->shared) { /* or closing, which is collective, is billed for slower ranks */
        phase_act(r->phase, ACT_IDLE);
        MPI_Barrier(f->comm);
    }
    phase_act(r->phase, ACT_OPEN_CLOSE);
    int closed = io_file_close(&f->io);
    phase_act(r->phase, before);
    rc = rc ? rc : closed;
    if (rc && !r->failed)
        r->failed = rc;
    return rc;
}

int run_file_remove(struct run_file *f)
{
    struct run *r = f->run;
    int rc = 0;
    if (!r || !r->engine)
        return 0;
    if (f->io)
        rc = io_file_close(&f->io);
    if (r->options->keep && !r->failed)
        io_file_keep(f->comm, f->path);
    else {
        int removed = io_file_remove(f->comm, f->path);
        rc = rc ? rc : removed;
    }
    return err_agree(r->world.comm, rc);
}

void run_transfer(struct run_file *f, struct io_req *req, int n)
{
    struct run *r = f->run;
    struct io_req *list[64];
    enum act a = req->op == IO_OP_READ ? ACT_READ : ACT_WRITE;
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
    if (rc && !r->failed)
        r->failed = rc;
    for (int i = 0; i < n && !rc; i++)
        phase_transfer(r->phase, a, req[i].bytes, req[i].end_ns - req[i].start_ns);
}

void run_write(struct run_file *f, const void *buf, int64_t offset, int64_t bytes)
{
    struct io_req req = {
        .op = IO_OP_WRITE, .buf = (void *)buf, .offset = offset, .bytes = bytes};
    run_transfer(f, &req, 1);
}

void run_read(struct run_file *f, void *buf, int64_t offset, int64_t bytes, bool again)
{
    struct run *r = f->run;
    struct io_req req = {
        .op = IO_OP_READ, .buf = buf, .offset = offset, .bytes = bytes};
    int64_t resident;
    run_transfer(f, &req, 1);
    if (!again || !r->flush || !f->io || r->failed || !io_engine_stores(r->engine))
        return;
    enum act before = phase_act(r->phase, ACT_CHECK);
    int rc = io_cache_drop(f->path, offset, bytes, &resident);
    phase_act(r->phase, before);
    if (rc && !r->failed)
        r->failed = rc;
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
        phase_transfer(q->f->run->phase, q->act, req->bytes,
                       req->end_ns - req->start_ns);
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
                      .act = op == IO_OP_READ ? ACT_READ : ACT_WRITE,
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
    if (rc && !r->failed)
        r->failed = rc;
}
