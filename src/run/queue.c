/* Keeps a queue full, up to a number of requests or a time. Requests may be of mixed
 * kinds, and the caller may look at completions.
 *
 * Reading the clock costs a tenth of a small transfer, so each reading is reused: a
 * completed request is replaced at that moment, and the time since the previous
 * completion counts for its kind. */
#include "base/err.h"
#include "run/lanes.h"
#include <errno.h>
#include <string.h>

enum { START_MOST = 64, DEPTH_MOST = 4096 };

struct queue {
    struct run_file *f;
    struct io_queue *io;
    struct phase *phase;
    const struct run_queue *how;
    struct io_req *req; /* slots: empty (no start_ns), in flight, or done (end_ns) */
    int64_t *number;    /* of the request in each slot */
    int64_t *intended;  /* its start, if `how` has due */
    int64_t due_ns; /* the next request's, after now; 0: it has no time to wait for */
    int *ready;     /* slots that can be used again */
    int ready_count;
    int next;        /* in order: the next slot to look at */
    int under_way;   /* known to be in flight; asynchronous engines only */
    enum act before; /* the activity around the queue */
    enum act kind;   /* kind of the request started last */
    bool ordered, stopped;
    bool aside;   /* done() computes: only submitting and waiting count as transfers */
    bool goes_on; /* the kernel may read ahead between requests (run_goes_on) */
    int rc;
    int64_t made, done, count[ACT_COUNT];
    int64_t begin_ns, now_ns; /* 0: the clock has not been read for the next request */
    int64_t last_ns, late_ns; /* time of the latest completion; the limit */
    int64_t wait_begin_ns;    /* 0: not waiting */
    int64_t cpu_ns, visible_ns[ACT_COUNT], wait_ns[ACT_COUNT], hidden_ns[ACT_COUNT];
    int64_t flight_ns[ACT_COUNT]; /* sum of latencies */
};

static enum act queue_act(const struct queue *q, const struct io_req *req)
{
    return q->how->untimed ? ACT_CHECK : run_act_of(req->op);
}

int run_queue_open(const struct run *r, struct io_queue **q, int depth,
                   int64_t max_request)
{
    struct io_queue_open o = {.engine = r->engine,
                              .depth = depth,
                              .max_request = max_request,
                              .timeout_s = r->options->io_timeout,
                              .buffers = r->buffers,
                              .buffer_count = r->buffer_count};
    *q = NULL;
    return r->engine ? io_queue_open(q, &o) : 0;
}

/* ---- completions ----------------------------------------------------------------- */

static void queue_book(struct queue *q, const struct io_req *req)
{
    enum act a = queue_act(q, req);
    q->done++;
    if (req->rc) {
        q->rc = q->rc ? q->rc : req->rc;
        return;
    }
    if (!q->aside && a != q->phase->now)
        phase_act_at(q->phase, a, q->last_ns);
    q->last_ns = req->end_ns;
    q->count[a]++;
    q->flight_ns[a] += req->end_ns - req->start_ns;
    if (!q->how->untimed)
        phase_transfer(q->phase, a, req->done,
                       q->how->due ? q->intended[req - q->req] : req->start_ns,
                       req->end_ns);
    q->stopped |= q->last_ns >= q->late_ns;
}

/* Books a wait for the kind of the request that completed first. */
static void queue_book_wait(struct queue *q, enum act a)
{
    if (q->wait_begin_ns && q->last_ns > q->wait_begin_ns)
        q->wait_ns[a] += q->last_ns - q->wait_begin_ns;
    q->wait_begin_ns = 0;
    if (!q->aside)
        return;
    if (q->phase->now != q->before)
        q->phase->now = a;
    phase_act_at(q->phase, q->before, q->last_ns);
}

static bool queue_is_ready(const struct io_req *req)
{
    return !req->start_ns || req->end_ns;
}

/* Finds slots that are done or empty, and books them; if ordered, only from
 * `next` on. */
static void queue_find_ready(struct queue *q)
{
    int depth = q->f->depth;
    const struct io_req *first = NULL;
    q->ready_count = 0;
    for (int n = 0; n < depth; n++) {
        int k = q->ordered ? (q->next + n) % depth : n;
        if (queue_is_ready(&q->req[k])) {
            q->ready[q->ready_count++] = k;
            if (q->req[k].start_ns) {
                first = first ? first : &q->req[k];
                queue_book(q, &q->req[k]);
                q->under_way -= q->f->run->queues;
            }
        } else if (q->ordered)
            break;
    }
    q->next = (q->next + q->ready_count) % depth;
    if (first)
        queue_book_wait(q, queue_act(q, first));
}

/* ---- new requests ---------------------------------------------------------------- */

static bool queue_wants_more(const struct queue *q)
{
    const struct run *r = q->f->run;
    return (q->how->total < 0 || q->made < q->how->total) && !q->stopped &&
           ((!q->rc && !r->failed) || r->options->collective);
}

static void queue_start(struct queue *q, struct io_req *list[], int n)
{
    if (!n)
        return;
    int64_t now_ns = q->now_ns ? q->now_ns : clock_ns();
    q->now_ns = 0;
    q->kind = queue_act(q, list[0]);
    if (q->aside)
        phase_act_at(q->phase, q->kind, now_ns);
    int rc = run_start_at(q->f, q->io, list, n, now_ns);
    q->rc = q->rc ? q->rc : rc;
    q->under_way += q->f->run->queues ? n : 0;
}

/* Care for blocks counts as time of transfers while others are in flight, or while the
 * kernel reads ahead of one that is done; else it does not. */
static bool queue_care_begins(struct queue *q, const struct io_req *req)
{
    bool ahead = q->goes_on && req->start_ns && req->op == IO_OP_READ;
    if (!q->how->all_visible || q->under_way || ahead)
        return false;
    phase_act(q->phase, q->before);
    q->cpu_ns += run_cpu_ns(q->f->run);
    return true;
}

static void queue_care_ends(struct queue *q, enum act a)
{
    q->cpu_ns -= run_cpu_ns(q->f->run);
    phase_act(q->phase, a);
}

/* True if the next request's time has come. One that is due after the limit is the
 * end. */
static bool queue_is_due(struct queue *q, int64_t number, int k)
{
    int64_t now_ns = clock_ns(), due_ns = q->how->due(q->how->context, number, now_ns);
    q->stopped |= due_ns >= q->late_ns;
    q->due_ns = due_ns > now_ns && !q->stopped ? due_ns : 0;
    q->intended[k] = due_ns;
    return due_ns <= now_ns && !q->stopped;
}

static bool queue_make(struct queue *q, int k)
{
    struct io_req *req = &q->req[k];
    int64_t number = q->how->from + q->made;
    req->start_ns = 0;
    if (!queue_wants_more(q) || (q->how->due && !queue_is_due(q, number, k)))
        return false;
    *req = q->how->make(q->how->context, number, k);
    if (req->bytes < 0)
        return false;
    if (!req->file)
        req->file = q->f->io;
    q->number[k] = number;
    q->made++;
    return true;
}

static void queue_tell(const struct queue *q, int k)
{
    const struct io_req *req = &q->req[k];
    if (req->start_ns && q->how->done && !req->rc && !q->rc)
        q->how->done(q->how->context, req, q->number[k], k);
}

/* Passes a completed request to done() and makes the next one. Returns true if there is
 * a next one. */
static bool queue_turn(struct queue *q, int k)
{
    struct io_req *req = &q->req[k];
    int64_t check_ns = q->phase->act[ACT_CHECK].ns;
    bool care = queue_care_begins(q, req);
    queue_tell(q, k);
    bool more = queue_make(q, k);
    if (care)
        queue_care_ends(q, queue_act(q, req));
    else if (!q->aside)
        q->hidden_ns[queue_act(q, req)] += q->phase->act[ACT_CHECK].ns - check_ns;
    return more;
}

/* Starts each request as soon as it is made, for done() and make() may take time: the
 * queue stays full meanwhile. */
static void queue_refill_each(struct queue *q)
{
    for (int i = 0; i < q->ready_count; i++) {
        struct io_req *req = &q->req[q->ready[i]];
        if (q->aside && i && q->phase->now != q->before)
            phase_act(q->phase, q->before);
        if (queue_turn(q, q->ready[i]))
            queue_start(q, &req, 1);
    }
}

static void queue_refill(struct queue *q)
{
    struct io_req *list[START_MOST];
    int64_t done_ns = io_queue_done_ns(q->io);
    int n = 0;
    q->now_ns = done_ns > q->begin_ns ? done_ns : q->begin_ns;
    if (q->how->due)
        q->now_ns = clock_ns();
    for (int i = 0; i < q->ready_count; i++)
        queue_tell(q, q->ready[i]);
    for (int i = 0; i < q->ready_count; i++) {
        if (queue_make(q, q->ready[i]))
            list[n++] = &q->req[q->ready[i]];
        if (n == START_MOST) {
            queue_start(q, list, n);
            n = 0;
        }
    }
    queue_start(q, list, n);
}

/* ---- the whole queue ------------------------------------------------------------- */

static int queue_wait_for_any(struct queue *q)
{
    if (!q->under_way)
        return 0;
    if (!q->wait_begin_ns) {
        q->wait_begin_ns = clock_ns();
        if (q->aside)
            phase_act_at(q->phase, q->kind, q->wait_begin_ns);
    }
    return io_queue_wait_for(q->io, NULL);
}

/* Waits for the next request's time. Nothing is in flight meanwhile, or what is done is
 * seen at once. */
static int queue_wait_due(struct queue *q)
{
    if (q->under_way)
        return io_queue_wait_until(q->io, q->due_ns);
    enum act a = phase_act(q->phase, q->before);
    q->phase->paused |= q->goes_on;
    q->cpu_ns += run_cpu_ns(q->f->run);
    clock_wait_until(q->due_ns);
    q->cpu_ns -= run_cpu_ns(q->f->run);
    phase_act(q->phase, a);
    return 0;
}

/* Returns with nothing in flight, unless waiting itself failed: then another wait would
 * be in vain. */
static int queue_turn_over(struct queue *q)
{
    struct run *r = q->f->run;
    do {
        int64_t before = q->done;
        queue_find_ready(q);
        q->due_ns = 0;
        if (q->aside || q->how->all_visible)
            queue_refill_each(q);
        else
            queue_refill(q);
        if (q->rc && !r->options->collective)
            break;
        progress_step(&r->progress, q->done - before, r->phase->name);
        int rc = q->due_ns ? queue_wait_due(q) : queue_wait_for_any(q);
        if (rc)
            return rc;
    } while (q->done < q->made || q->due_ns);
    int waited = io_queue_wait(q->io);
    return q->rc ? q->rc : waited;
}

static void queue_begin(struct queue *q)
{
    q->cpu_ns = -run_cpu_ns(q->f->run);
    q->before = phase_act(q->phase, q->phase->now);
    q->begin_ns = q->last_ns = q->phase->switch_ns;
    q->late_ns =
        q->how->limit_s > 0 ? q->last_ns + (int64_t)(q->how->limit_s * 1e9) : INT64_MAX;
    q->visible_ns[ACT_READ] = -q->phase->act[ACT_READ].ns;
    q->visible_ns[ACT_WRITE] = -q->phase->act[ACT_WRITE].ns;
    if (!q->aside && !q->how->all_visible) /* the first completion decides the kind */
        phase_act_at(q->phase, q->how->untimed ? ACT_CHECK : ACT_READ, q->last_ns);
}

static void queue_take_hidden(struct queue *q, enum act a)
{
    phase_move(q->phase, ACT_CHECK, a, q->hidden_ns[a]);
    q->f->run->care_ns += q->hidden_ns[a];
}

/* Divides the seconds between reads and writes, which are in flight together: by the
 * time for which transfers of each kind were in flight, not by the next completion. */
static void queue_share(struct queue *q)
{
    const struct phase_act *act = q->phase->act;
    double reads = (double)q->flight_ns[ACT_READ], all = reads;
    all += (double)q->flight_ns[ACT_WRITE];
    if (all <= 0)
        return;
    int64_t read_ns = q->visible_ns[ACT_READ] + act[ACT_READ].ns,
            both_ns = read_ns + q->visible_ns[ACT_WRITE] + act[ACT_WRITE].ns,
            wait_ns = q->wait_ns[ACT_READ] + q->wait_ns[ACT_WRITE];
    phase_move(q->phase, ACT_WRITE, ACT_READ,
               (int64_t)((double)both_ns * (reads / all)) - read_ns);
    q->wait_ns[ACT_READ] = (int64_t)((double)wait_ns * (reads / all));
    q->wait_ns[ACT_WRITE] = wait_ns - q->wait_ns[ACT_READ];
}

/* Divides the processor time of both kinds by their numbers: it is not
 * measured apart. */
static void queue_end_kind(struct queue *q, enum act a)
{
    struct run *r = q->f->run;
    int64_t all = q->count[ACT_READ] + q->count[ACT_WRITE];
    int64_t visible_ns = q->visible_ns[a] + q->phase->act[a].ns;
    int64_t wait_ns = q->wait_ns[a] < visible_ns ? q->wait_ns[a] : visible_ns;
    if (r->queues)
        phase_visible(q->phase, a, visible_ns - wait_ns, wait_ns);
    if (q->how->all_visible && (r->queues || q->hidden_ns[a]))
        r->queue_ns += visible_ns;
    if (all && !q->aside)
        r->cpu_ns[a] +=
            (int64_t)((double)q->cpu_ns * (double)q->count[a] / (double)all);
}

static void queue_end(struct queue *q)
{
    phase_act(q->phase, q->before);
    q->cpu_ns += run_cpu_ns(q->f->run);
    if (q->how->untimed)
        return;
    queue_take_hidden(q, ACT_READ);
    queue_take_hidden(q, ACT_WRITE);
    q->phase->mixed |= q->how->mixed;
    if (q->how->mixed)
        queue_share(q);
    queue_end_kind(q, ACT_READ);
    queue_end_kind(q, ACT_WRITE);
}

int64_t run_queue(struct run_file *f, struct io_req *req, const struct run_queue *how)
{
    struct run *r = f->run;
    int64_t number[DEPTH_MOST], intended[DEPTH_MOST];
    int ready[DEPTH_MOST];
    struct queue q = {.f = f,
                      .phase = r->phase,
                      .how = how,
                      .req = req,
                      .number = number,
                      .intended = intended,
                      .ready = ready,
                      .ordered = how->ordered || r->options->collective,
                      .aside = how->done && !how->all_visible && !how->brief,
                      .goes_on = run_goes_on(f)};
    if (!f->io || !how->total || (r->failed && !r->options->collective))
        return 0;
    if (f->depth > DEPTH_MOST) {
        run_fail(r, err_set(-EINVAL, f->path, -1, "a queue of %d, and %d is the most",
                            f->depth, DEPTH_MOST));
        return 0;
    }
    memset(req, 0, (size_t)f->depth * sizeof *req);
    q.io = io_file_queue(f->io);
    queue_begin(&q);
    int rc = queue_turn_over(&q);
    queue_end(&q);
    run_fail(r, rc);
    r->made += q.made;
    return q.made;
}

/* ---- limits of time -------------------------------------------------------------- */

static void limit_look(struct run_limit *l, const struct run *lane)
{
    static const enum act act[2] = {ACT_READ, ACT_WRITE};
    l->most = lane->made > l->most ? lane->made : l->most;
    for (int k = 0; k < 2; k++) {
        const struct phase_act *a = &lane->phase->act[act[k]];
        int64_t ns = a->ns;
        if (lane->phase->mixed)
            ns += lane->phase->act[act[!k]].ns;
        l->bytes[k] += a->bytes;
        l->ns[k] = ns > l->ns[k] ? ns : l->ns[k];
    }
}

int64_t run_wear_out(struct run *r)
{
    enum act before = phase_act(r->phase, ACT_IDLE);
    r->limit = (struct run_limit){.reached = true};
    for (int i = 0; i < r->lanes; i++)
        limit_look(&r->limit, run_lane_of(r, i));
    world_reduce(r->world.comm, &r->limit.most, 1, MPI_INT64_T, MPI_MAX);
    phase_act(r->phase, before);
    return r->limit.most;
}
