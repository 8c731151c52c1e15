/* null: stores nothing and takes no time: the template of an engine, the probe of
 * what the suite itself costs, and the injector of faults that tests ask for:
 *   null:delay_us=N      each request takes N microseconds
 *   null:short_every=N   every N-th request moves half of its bytes
 *   null:fail_every=N    every N-th request fails with EIO
 * It is asynchronous, so that the core's loops are exercised by it. */
#include "base/clock.h"
#include "base/err.h"
#include "io/engine.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define FOR_EVER_NS (INT64_MAX / 4) /* which can be added to a moment */

struct null_queue {
    int64_t delay_ns, short_every, fail_every, count;
    int first, n; /* a ring of `depth` requests, oldest first */
    struct io_req *ring[];
};

static int null_queue_open(struct io_queue *q)
{
    struct null_queue *p = calloc(1, sizeof *p + (size_t)q->depth * sizeof p->ring[0]);
    if (!p)
        return err_set(-ENOMEM, NULL, -1, "no memory for %d requests", q->depth);
    int64_t delay_us = io_option(q->options, "delay_us", 0);
    p->delay_ns = delay_us < FOR_EVER_NS / 1000 ? delay_us * 1000 : FOR_EVER_NS;
    p->short_every = io_option(q->options, "short_every", 0);
    p->fail_every = io_option(q->options, "fail_every", 0);
    q->priv = p;
    return 0;
}

static void null_queue_close(struct io_queue *q)
{
    free(q->priv);
}

static int null_open(struct io_file *f)
{
    (void)f;
    return 0;
}

/* Of the i-th oldest. */
static struct io_req **place(const struct io_queue *q, int i)
{
    struct null_queue *p = q->priv;
    int at = p->first + i;
    return &p->ring[at < q->depth ? at : at - q->depth];
}

static int null_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct null_queue *p = q->priv;
    for (int i = 0; i < n; i++)
        *place(q, p->n++) = r[i];
    return 0;
}

static void finish(struct null_queue *p, struct io_req *r)
{
    if (r->rc) /* refused before it came here */
        return;
    p->count++;
    r->done = r->bytes;
    if (p->short_every && p->count % p->short_every == 0)
        r->done = r->bytes / 2;
    if (p->fail_every && p->count % p->fail_every == 0) {
        r->done = 0;
        io_req_fail(r, -EIO, "injected by fail_every");
    }
}

static void nap(int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    nanosleep(&t, NULL);
}

/* Whether it has taken its time; to `wait` for that, for limit_s at most (0: no limit).
 * Without a delay the clock is not asked. */
static bool is_ready(const struct null_queue *p, const struct io_req *r, bool wait,
                     double limit_s)
{
    if (!p->delay_ns)
        return true;
    int64_t now = clock_ns(), ready = r->start_ns + p->delay_ns;
    int64_t until = limit_s > 0 ? now + (int64_t)(limit_s * 1e9) : INT64_MAX;
    while (wait && now < ready && now < until) {
        nap((ready < until ? ready : until) - now);
        now = clock_ns();
    }
    return now >= ready;
}

static int null_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                     double limit_s)
{
    struct null_queue *p = q->priv;
    int n = 0;
    while (p->n && n < max && is_ready(p, *place(q, 0), n < min, limit_s)) {
        done[n] = *place(q, 0);
        p->first = p->first + 1 < q->depth ? p->first + 1 : 0;
        p->n--;
        finish(p, done[n++]);
    }
    return n;
}

/* Those of other files move up. */
static int null_close(struct io_file *f)
{
    const struct io_queue *q = f->queue;
    struct null_queue *p = q->priv;
    int left = 0;
    for (int i = 0; i < p->n; i++)
        if ((*place(q, i))->file != f)
            *place(q, left++) = *place(q, i);
    p->n = left;
    return 0;
}

/* Whatever is read is there. */
static int null_size(struct io_file *f, int64_t *bytes)
{
    (void)f;
    *bytes = INT64_MAX;
    return 0;
}

const struct io_engine io_engine_null = {
    .name = "null",
    .options = "delay_us|short_every|fail_every",
    .can = IO_CAN_COLLECTIVE | IO_HAS_NO_FILE | IO_CAN_SHARE,
    .queue_open = null_queue_open,
    .queue_close = null_queue_close,
    .open = null_open,
    .start = null_start,
    .reap = null_reap,
    .close = null_close,
    .size = null_size,
};
