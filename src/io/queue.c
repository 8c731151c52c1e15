/* The course of requests through a queue, to one file or to several: checks, time
 * stamps, the watchdog, limits, the first failure. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/units.h"
#include "io/engine.h"
#include "world/world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LATE_S 5.0 /* limit for closing a file whose requests did not finish */

/* ---- opening and closing -------------------------------------------------------- */

const char *io_queue_path(const struct io_queue *q)
{
    return q->only ? q->only->path : NULL;
}

static void queue_release(struct io_queue *q)
{
    free(q->spec);
    free(q);
}

static struct io_queue *queue_allocate(const struct io_queue_open *o,
                                       const struct io_file *only)
{
    struct io_queue *q = thread_alloc(sizeof *q, "a queue");
    if (!q)
        return NULL;
    q->engine = io_engine_find(o->engine);
    q->spec = mem_text(o->engine, "a queue");
    q->options = q->spec ? q->spec + strcspn(q->spec, ":") : "";
    q->options += *q->options == ':';
    q->only = only;
    q->depth = o->depth > 0 ? o->depth : 1;
    q->max_request = o->max_request;
    q->timeout_s = o->timeout_s;
    q->buffers = o->buffers;
    q->buffer_count = o->buffer_count;
    q->users = 1;
    if (q->spec)
        return q;
    queue_release(q);
    return NULL;
}

int io_queue_make(struct io_queue **out, const struct io_queue_open *o,
                  const struct io_file *only)
{
    struct io_queue *q = queue_allocate(o, only);
    *out = NULL;
    if (!q)
        return -ENOMEM;
    watchdog_arm(q->timeout_s, "opening a queue", io_queue_path(q), -1);
    int rc = q->engine->queue_open ? q->engine->queue_open(q) : 0;
    watchdog_disarm();
    q->buffers = NULL;
    if (rc)
        queue_release(q);
    else
        *out = q;
    return rc;
}

static int check_shared(const char *spec)
{
    char what[IO_ENGINE_TITLE];
    int rc = io_engine_check(spec, 0);
    if (rc || io_engine_shares_queue(spec))
        return rc;
    return err_usage("%s has a queue for each file: for requests to several files "
                     "in flight together, take threads, uring, libaio or aio",
                     io_engine_title(spec, what));
}

int io_queue_open(struct io_queue **q, const struct io_queue_open *o)
{
    *q = NULL;
    int rc = check_shared(o->engine);
    return rc ? rc : io_queue_make(q, o, NULL);
}

static void one_user_less(struct io_queue *q)
{
    if (--q->users)
        return;
    if (q->engine->queue_close)
        q->engine->queue_close(q);
    queue_release(q);
}

void io_queue_close(struct io_queue **q)
{
    if (*q)
        one_user_less(*q);
    *q = NULL;
}

void io_queue_leave(struct io_file *f)
{
    struct io_queue *q = f->queue;
    q->under_way -= f->under_way;
    q->late = q->late && q->under_way;
    one_user_less(q);
}

/* ---- starting ------------------------------------------------------------------- */

static int check_direct(const struct io_req *r)
{
    uint64_t all = (uint64_t)(uintptr_t)r->buf | (uint64_t)r->offset;
    if (((all | (uint64_t)r->bytes) & (uint64_t)(r->file->align - 1)) == 0)
        return 0;
    return err_set(-EINVAL, r->file->path, r->offset,
                   "direct I/O moves multiples of %d bytes, from and to multiples of "
                   "it: this request is of %lld",
                   r->file->align, (long long)r->bytes);
}

static int queue_check(const struct io_req *r)
{
    const struct io_file *f = r->file;
    if (r->bytes >= 0 && r->offset >= 0 && r->bytes <= f->max_request &&
        r->offset <= INT64_MAX - r->bytes)
        return f->flags & IO_DIRECT ? check_direct(r) : 0;
    return err_set(-EINVAL, f->path, r->offset,
                   "a request of %lld bytes is outside what the file was opened for "
                   "(at most %lld)",
                   (long long)r->bytes, (long long)f->max_request);
}

static void begin(struct io_req *r, int64_t now_ns)
{
    r->done = 0;
    r->end_ns = 0;
    r->rc = queue_check(r);
    r->start_ns = now_ns;
}

/* Completes a request: an engine that reports success must also have transferred
 * every byte. */
static void complete(struct io_queue *q, struct io_req *r, int64_t now_ns)
{
    r->end_ns = now_ns;
    if (!r->rc && !io_req_enough(r, r->done))
        io_req_fail(r, -EIO, "short transfer");
    if (r->rc && !q->first_rc)
        q->first_rc = r->rc;
}

static const char *op_text(const struct io_req *r)
{
    return r->op == IO_OP_READ ? "reading" : "writing";
}

/* True if a refused request takes part all the same, because others wait for it. */
static bool together(const struct io_queue *q)
{
    return q->only && (q->only->flags & IO_COLLECTIVE);
}

/* Starts requests one after the other: each begins when the previous one has ended. */
static int start_synchronous(struct io_queue *q, struct io_req *r[], int n,
                             int64_t now_ns)
{
    int rc = 0;
    for (int i = 0; i < n; i++) {
        const struct io_file *f = r[i]->file;
        begin(r[i], now_ns);
        watchdog_arm(f->timeout_s, op_text(r[i]), f->path, r[i]->offset);
        int failed = r[i]->rc && !together(q) ? 0 : q->engine->start(q, &r[i], 1);
        watchdog_disarm();
        if (failed && !r[i]->rc)
            r[i]->rc = failed;
        q->done_ns = now_ns = clock_ns();
        complete(q, r[i], now_ns);
        rc = rc ? rc : r[i]->rc;
    }
    return rc;
}

static int start_asynchronous(struct io_queue *q, struct io_req *r[], int n,
                              int64_t now_ns)
{
    int refused = 0;
    for (int i = 0; i < n; i++) {
        begin(r[i], now_ns);
        refused = refused ? refused : r[i]->rc;
    }
    if (!n || (refused && !together(q)))
        return refused;
    watchdog_arm(q->timeout_s, "submitting requests", r[0]->file->path, r[0]->offset);
    int rc = q->engine->start(q, r, n);
    watchdog_disarm();
    for (int i = 0; i < n && !rc; i++)
        r[i]->file->under_way++;
    q->under_way += rc ? 0 : n;
    return rc ? rc : refused;
}

static int check_start(const struct io_queue *q, struct io_req *r[], int n)
{
    if (n > q->depth - q->under_way)
        return err_set(-EINVAL, io_queue_path(q), -1,
                       "%d request%s at once, opened for %d", q->under_way + n,
                       units_s(q->under_way + n), q->depth);
    for (int i = 0; i < n; i++)
        if (!r[i]->file || r[i]->file->queue != q)
            return err_set(-EINVAL, r[i]->file ? r[i]->file->path : NULL, r[i]->offset,
                           "a request of a file was started in another queue");
    return 0;
}

int io_queue_start_at(struct io_queue *q, struct io_req *r[], int n, int64_t now_ns)
{
    int rc = check_start(q, r, n);
    if (rc)
        return rc;
    return q->engine->reap ? start_asynchronous(q, r, n, now_ns)
                           : start_synchronous(q, r, n, now_ns);
}

int io_queue_start(struct io_queue *q, struct io_req *r[], int n)
{
    return io_queue_start_at(q, r, n, clock_ns());
}

int io_file_start(struct io_file *f, struct io_req *r[], int n)
{
    for (int i = 0; i < n; i++)
        r[i]->file = f;
    return io_queue_start(f->queue, r, n);
}

/* ---- waiting -------------------------------------------------------------------- */

static int reap(struct io_queue *q, int min, double limit_s)
{
    struct io_req *done[16];
    int n = q->engine->reap(q, done, 16, min, limit_s);
    if (n <= 0)
        return n;
    q->done_ns = clock_ns();
    for (int i = 0; i < n; i++) {
        complete(q, done[i], q->done_ns);
        done[i]->file->under_way--;
    }
    q->under_way -= n;
    q->late = q->late && q->under_way;
    return n;
}

/* Waits for one more request, within the rest of the limit since begin_ns. */
static int queue_wait_more(struct io_queue *q, double limit_s, int64_t begin_ns)
{
    double left = limit_s - (double)(watchdog_ns() - begin_ns) / 1e9;
    if (limit_s > 0 && left <= 0) {
        q->late = true;
        return err_set(-ETIMEDOUT, io_queue_path(q), -1,
                       "%d request%s did not finish within "
                       "%g s; --io-timeout sets the limit",
                       q->under_way, units_s(q->under_way), limit_s);
    }
    watchdog_arm(limit_s, "waiting for a request", io_queue_path(q), -1);
    int n = reap(q, 1, limit_s > 0 ? left : 0);
    watchdog_disarm();
    return n < 0 ? n : 0;
}

int io_queue_wait_for(struct io_queue *q, const struct io_req *r)
{
    int64_t begin_ns = watchdog_ns();
    int before = q->under_way, rc = 0;
    while (!rc && q->under_way && (r ? !r->end_ns : q->under_way == before))
        rc = queue_wait_more(q, q->timeout_s, begin_ns);
    return rc || !r ? rc : r->rc;
}

int io_queue_wait_until(struct io_queue *q, int64_t until_ns)
{
    enum { PIECE_NS = 1000000000 };
    int before = q->under_way, n = 0;
    int64_t left_ns = until_ns - clock_ns();
    while (n >= 0 && q->under_way == before && left_ns > 0) {
        int64_t nap_ns = left_ns < PIECE_NS ? left_ns - CLOCK_SPIN_NS : PIECE_NS;
        watchdog_arm(q->timeout_s > 0 ? q->timeout_s + 1 : 0, "waiting for a request",
                     io_queue_path(q), -1);
        n = nap_ns > 0 ? reap(q, 1, (double)nap_ns / 1e9) : reap(q, 0, 0);
        watchdog_disarm();
        left_ns = until_ns - clock_ns();
    }
    return n < 0 ? n : 0;
}

static int told(struct io_queue *q)
{
    int rc = q->first_rc;
    q->first_rc = 0;
    return rc;
}

int io_queue_wait(struct io_queue *q)
{
    int64_t begin_ns = watchdog_ns();
    int rc = 0;
    while (!rc && q->under_way)
        rc = queue_wait_more(q, q->timeout_s, begin_ns);
    return rc ? rc : told(q);
}

int io_queue_room(const struct io_queue *q)
{
    return q->depth - q->under_way;
}

int io_queue_poll(struct io_queue *q)
{
    if (q->under_way)
        reap(q, 0, 0);
    return q->under_way;
}

int64_t io_queue_done_ns(const struct io_queue *q)
{
    return q->done_ns;
}

int io_file_wait_for(struct io_file *f, const struct io_req *r)
{
    return io_queue_wait_for(f->queue, r);
}

int io_file_wait(struct io_file *f)
{
    return io_queue_wait(f->queue);
}

int io_file_poll(struct io_file *f)
{
    return io_queue_poll(f->queue);
}

struct io_queue *io_file_queue(struct io_file *f)
{
    return f->queue;
}

/* Transfers one request. Its failure is reported here, and not again by a wait
 * for all. */
static int transfer_shared(struct io_file *f, struct io_req *r)
{
    struct io_queue *q = f->queue;
    int before = q->first_rc, rc = io_file_start(f, &r, 1);
    if (!rc)
        rc = io_queue_wait_for(q, r);
    if (!before && rc && q->first_rc == r->rc)
        q->first_rc = 0;
    return rc;
}

int io_file_transfer(struct io_file *f, struct io_req *r)
{
    if (!f->queue->only)
        return transfer_shared(f, r);
    int rc = io_file_start(f, &r, 1);
    int waited = io_file_wait(f);
    return rc ? rc : waited;
}

/* Waits for a file's requests. After a timeout it has only LATE_S, and does not wait if
 * the queue has no other file. */
int io_queue_part_with(struct io_file *f, double *limit_s)
{
    struct io_queue *q = f->queue;
    int64_t begin_ns = watchdog_ns();
    int rc = 0;
    bool late = q->late && f->under_way;
    *limit_s = late && f->timeout_s > LATE_S ? LATE_S : f->timeout_s;
    while (f->under_way && !rc && !(late && q->only))
        rc = queue_wait_more(q, late ? *limit_s : q->timeout_s, begin_ns);
    return rc || !q->only ? rc : told(q);
}
