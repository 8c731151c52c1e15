/* null: stores nothing and takes no time. It is the template of an engine, it shows the
 * cost of the suite itself, and it injects faults for tests:
 *   null:delay_us=N      each request takes N microseconds
 *   null:delay_every=N   only every N-th does, the others none
 *   null:short_every=N   every N-th request transfers half of its bytes
 *   null:fail_every=N    every N-th request fails with EIO
 * It is asynchronous, so that it exercises the core's loops. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/engine.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define FOR_EVER_NS (INT64_MAX / 4) /* forever; can be added to a time */

struct held {
    struct io_req *r;
    int64_t ready_ns; /* 0: at once */
};

struct null_queue {
    int64_t delay_ns, delay_every, short_every, fail_every, started, count;
    int first, n; /* a ring of `depth` requests, oldest first */
    struct held ring[];
};

static int null_queue_open(struct io_queue *q)
{
    struct null_queue *p =
        thread_alloc(sizeof *p + (size_t)q->depth * sizeof p->ring[0], "requests");
    if (!p)
        return -ENOMEM;
    int64_t delay_us = io_option(q->options, "delay_us", 0);
    p->delay_ns = delay_us < FOR_EVER_NS / 1000 ? delay_us * 1000 : FOR_EVER_NS;
    p->delay_every = io_option(q->options, "delay_every", 1);
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

/* The i-th oldest request. */
static struct held *held(const struct io_queue *q, int i)
{
    struct null_queue *p = q->priv;
    int at = p->first + i;
    return &p->ring[at < q->depth ? at : at - q->depth];
}

static int null_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct null_queue *p = q->priv;
    for (int i = 0; i < n; i++) {
        bool delayed = p->delay_ns && ++p->started % p->delay_every == 0;
        *held(q, p->n++) =
            (struct held){r[i], delayed ? r[i]->start_ns + p->delay_ns : 0};
    }
    return 0;
}

static void null_finish(struct null_queue *p, struct io_req *r)
{
    if (r->rc) /* refused by the core */
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

/* Moves the oldest ready request to the front. Returns false if none is ready; *next_ns
 * is then the time of the next one. Without delays the clock is not read. */
static bool find_ready(const struct io_queue *q, int64_t *next_ns)
{
    const struct null_queue *p = q->priv;
    int64_t now_ns = p->delay_ns ? clock_ns() : 0;
    *next_ns = INT64_MAX;
    for (int i = 0; i < p->n; i++) {
        struct held ready = *held(q, i);
        if (ready.ready_ns <= now_ns) {
            *held(q, i) = *held(q, 0);
            *held(q, 0) = ready;
            return true;
        }
        *next_ns = ready.ready_ns < *next_ns ? ready.ready_ns : *next_ns;
    }
    return false;
}

static int take_ready(const struct io_queue *q, struct io_req *done[], int max,
                      int64_t *next_ns)
{
    struct null_queue *p = q->priv;
    int n = 0;
    while (n < max && find_ready(q, next_ns)) {
        done[n] = held(q, 0)->r;
        p->first = p->first + 1 < q->depth ? p->first + 1 : 0;
        p->n--;
        null_finish(p, done[n++]);
    }
    return n;
}

/* Sleeps for at most limit_s; 0: no limit. */
static void nap_until(int64_t moment_ns, double limit_s)
{
    int64_t ns = moment_ns - clock_ns();
    if (limit_s > 0 && (double)ns > limit_s * 1e9)
        ns = (int64_t)(limit_s * 1e9);
    clock_wait_until(clock_ns() + ns);
}

static int null_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                     double limit_s)
{
    int64_t next_ns;
    int n = take_ready(q, done, max, &next_ns);
    if (n >= min || next_ns == INT64_MAX)
        return n;
    nap_until(next_ns, limit_s);
    return take_ready(q, done, max, &next_ns);
}

/* Removes the file's requests; those of other files move up. */
static int null_close(struct io_file *f)
{
    const struct io_queue *q = f->queue;
    struct null_queue *p = q->priv;
    int left = 0;
    for (int i = 0; i < p->n; i++)
        if (held(q, i)->r->file != f)
            *held(q, left++) = *held(q, i);
    p->n = left;
    return 0;
}

/* Reads of any offset succeed. */
static int null_size(struct io_file *f, int64_t *bytes)
{
    (void)f;
    *bytes = INT64_MAX;
    return 0;
}

const struct io_engine io_engine_null = {
    .name = "null",
    .options = "delay_us|delay_every|short_every|fail_every",
    .can = IO_CAN_COLLECTIVE | IO_HAS_NO_FILE | IO_CAN_SHARE,
    .queue_open = null_queue_open,
    .queue_close = null_queue_close,
    .open = null_open,
    .start = null_start,
    .reap = null_reap,
    .close = null_close,
    .size = null_size,
};
