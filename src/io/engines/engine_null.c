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

struct null_file {
    int64_t delay_ns, short_every, fail_every, count;
    int first, n; /* a ring of `depth` requests, oldest first */
    struct io_req *ring[];
};

static int null_open(struct io_file *f)
{
    struct null_file *p = calloc(1, sizeof *p + (size_t)f->depth * sizeof p->ring[0]);
    if (!p)
        return err_set(-ENOMEM, f->path, -1, "no memory for %d requests", f->depth);
    int64_t delay_us = io_option(f, "delay_us", 0);
    p->delay_ns = delay_us < FOR_EVER_NS / 1000 ? delay_us * 1000 : FOR_EVER_NS;
    p->short_every = io_option(f, "short_every", 0);
    p->fail_every = io_option(f, "fail_every", 0);
    f->priv = p;
    return 0;
}

static int null_start(struct io_file *f, struct io_req *r[], int n)
{
    struct null_file *p = f->priv;
    for (int i = 0; i < n; i++)
        p->ring[(p->first + p->n++) % f->depth] = r[i];
    return 0;
}

static void finish(struct io_file *f, struct io_req *r)
{
    struct null_file *p = f->priv;
    if (r->rc) /* refused before it came here */
        return;
    p->count++;
    r->done = r->bytes;
    if (p->short_every && p->count % p->short_every == 0)
        r->done = r->bytes / 2;
    if (p->fail_every && p->count % p->fail_every == 0) {
        r->done = 0;
        io_req_fail(f, r, -EIO, "injected by fail_every");
    }
}

static void nap(int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    nanosleep(&t, NULL);
}

static int null_reap(struct io_file *f, struct io_req *done[], int max, int min,
                     double limit_s)
{
    struct null_file *p = f->priv;
    int n = 0;
    int64_t until = limit_s > 0 ? clock_ns() + (int64_t)(limit_s * 1e9) : INT64_MAX;
    while (p->n && n < max) {
        struct io_req *r = p->ring[p->first];
        int64_t now = clock_ns(), ready = r->start_ns + p->delay_ns;
        if (ready > now) {
            if (n >= min || now >= until)
                break;
            nap((ready < until ? ready : until) - now);
            continue;
        }
        p->first = (p->first + 1) % f->depth;
        p->n--;
        finish(f, r);
        done[n++] = r;
    }
    return n;
}

static int null_close(struct io_file *f)
{
    free(f->priv);
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
    .can = IO_CAN_COLLECTIVE | IO_HAS_NO_FILE,
    .open = null_open,
    .start = null_start,
    .reap = null_reap,
    .close = null_close,
    .size = null_size,
};
