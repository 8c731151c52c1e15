/* threads: pread(2) and pwrite(2) by helper threads: asynchronous on any system with
 * POSIX threads, with any kernel and file system.
 *   threads:helpers=N   helpers that share the queue: this many requests are in the
 *                       kernel at once, the others wait in line. Default: the depth
 *                       that the file was opened for, but no more than 16
 *   threads:depth=N     the same by the name that it has in other engines
 *   threads:piece=N     the largest number of bytes in one system call
 *
 * A handover costs two wake-ups. Through the page cache helpers add to that: writers of
 * one file exclude each other in most local file systems, and spin while they wait.
 * helpers=1 costs the least CPU time there.
 *
 * With IO_WRITE_BACK the helper that has written a request calls fdatasync(2), so that
 * its bytes are on the device and can be found there; io_file_sync adds the file's
 * other metadata, such as its times. The call is about the whole file: it waits for
 * what other requests have written, too.
 *
 * The helpers belong to the queue, whatever files it has. A helper takes a request from
 * the line, transfers all of it, and leaves the result in the request's slot: requests
 * belong to the caller, so no helper records an error, or calls anything of io.c or
 * MPI; the thread that reaps does. Helpers work from a copy: a request that timed out
 * may be freed. */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/engine.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE (INT64_C(1) << 30)  /* Linux moves at most 2 GiB - 4 KiB in a call */
#define STACK ((size_t)256 << 10) /* of a helper: the default 8 MiB would add up */

enum { HELPERS_USUAL = 16 };

struct slot { /* a request in flight, and its result */
    struct io_req *r;
    struct io_req is; /* copy of the request at its start */
    int64_t done;
    int rc;
    const char *why; /* NULL: strerror of rc */
    struct slot *next;
};

struct line { /* first in, first out */
    struct slot *first, *last;
};

struct threads_queue {
    int64_t piece;
    pthread_mutex_t lock;       /* protects the members below, and threads_file.busy */
    pthread_cond_t work, event; /* for the helpers; for threads that wait for them */
    struct line todo, finished;
    struct slot *unused;
    bool closing;
    int helper_count;
    pthread_t *helpers;
    struct slot slots[]; /* depth */
};

struct threads_file {
    int fd;
    bool write_back; /* writes are synced */
    int busy;        /* requests in the line or at helpers */
};

static void threads_put(struct line *l, struct slot *s)
{
    s->next = NULL;
    if (l->first)
        l->last->next = s;
    else
        l->first = s;
    l->last = s;
}

static struct slot *threads_take(struct line *l)
{
    struct slot *s = l->first;
    if (s)
        l->first = s->next;
    return s;
}

static void give_back(struct threads_queue *p, struct slot *s)
{
    s->next = p->unused;
    p->unused = s;
}

/* Removes the file's slots from the line; returns their number. */
static int threads_leave_out(struct threads_queue *p, struct line *l,
                             const struct io_file *f)
{
    struct slot *s = l->first, *next;
    int n = 0;
    l->first = NULL;
    for (; s; s = next) {
        next = s->next;
        if (s->is.file != f) {
            threads_put(l, s);
            continue;
        }
        give_back(p, s);
        n++;
    }
    return n;
}

/* ---- in the helpers --------------------------------------------------------- */

static struct threads_file *file_of(const struct slot *s)
{
    return s->is.file->priv;
}

static ssize_t piece(const struct threads_queue *p, const struct slot *s)
{
    const struct io_req *r = &s->is;
    int64_t left = r->bytes - s->done;
    size_t n = (size_t)(left < p->piece ? left : p->piece);
    char *at = (char *)r->buf + s->done;
    if (r->op == IO_OP_READ)
        return pread(file_of(s)->fd, at, n, r->offset + s->done);
    return pwrite(file_of(s)->fd, at, n, r->offset + s->done);
}

static void threads_move(const struct threads_queue *p, struct slot *s)
{
    while (!io_req_enough(&s->is, s->done) && !s->rc) {
        ssize_t moved = piece(p, s);
        if (moved > 0)
            s->done += moved;
        else if (moved == 0) {
            s->rc = -EIO;
            s->why =
                s->is.op == IO_OP_READ ? "the file ends here" : "nothing was written";
        } else if (errno != EINTR)
            s->rc = -errno;
    }
}

/* Writes a request back. The kernel reports failed write-back once, without the place:
 * so nothing of the request counts. */
static void write_back(struct slot *s)
{
    if (s->is.op == IO_OP_READ || !file_of(s)->write_back ||
        fdatasync(file_of(s)->fd) == 0)
        return;
    if (!s->rc)
        s->rc = -errno;
    s->done = 0;
}

/* The body of a helper. Holds the lock except while it transfers bytes or sleeps. */
static void *threads_help(void *queue)
{
    struct threads_queue *p = queue;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        struct slot *s = threads_take(&p->todo);
        if (!s) {
            pthread_cond_wait(&p->work, &p->lock);
            continue;
        }
        pthread_mutex_unlock(&p->lock);
        threads_move(p, s);
        write_back(s);
        pthread_mutex_lock(&p->lock);
        file_of(s)->busy--;
        threads_put(&p->finished, s);
        pthread_cond_signal(&p->event);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- opening and closing ----------------------------------------------------- */

static int start_helpers(struct threads_queue *p, int n)
{
    int rc = 0;
    while (p->helper_count < n && !rc) {
        rc = thread_start(&p->helpers[p->helper_count], STACK, threads_help, p);
        p->helper_count += !rc;
    }
    return rc;
}

static void end_helpers(struct threads_queue *p)
{
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->helper_count; i++)
        pthread_join(p->helpers[i], NULL);
}

static void threads_release(struct threads_queue *p)
{
    end_helpers(p);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->event);
    pthread_mutex_destroy(&p->lock);
    free(p->helpers);
    free(p);
}

static struct threads_queue *threads_make(const struct io_queue *q, int helpers)
{
    struct threads_queue *p =
        mem_new(1, sizeof *p + (size_t)q->depth * sizeof p->slots[0], "requests");
    pthread_t *ids = mem_new(helpers, sizeof *ids, "helper threads");
    pthread_condattr_t attr;
    if (!p || !ids) {
        free(p);
        free(ids);
        return NULL;
    }
    p->helpers = ids;
    p->piece = io_option(q->options, "piece", PIECE);
    for (int i = 0; i < q->depth; i++)
        give_back(p, &p->slots[i]);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_condattr_init(&attr); /* the limit must not depend on the time of day */
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p->event, &attr);
    pthread_condattr_destroy(&attr);
    return p;
}

static int helpers_of(const struct io_queue *q)
{
    int64_t usual = io_option(q->options, "depth", HELPERS_USUAL);
    int64_t n = io_option(q->options, "helpers", usual);
    return n < q->depth ? (int)n : q->depth;
}

static int threads_queue_open(struct io_queue *q)
{
    int n = helpers_of(q);
    struct threads_queue *p = threads_make(q, n);
    if (!p)
        return -ENOMEM;
    int rc = start_helpers(p, n);
    if (rc) {
        err_set(rc, io_queue_path(q), -1,
                "helper thread %d of %d cannot be started: %s; helpers= asks for fewer",
                p->helper_count + 1, n, strerror(-rc));
        threads_release(p);
        return rc;
    }
    q->priv = p;
    return 0;
}

static void threads_queue_close(struct io_queue *q)
{
    threads_release(q->priv);
}

static int threads_open(struct io_file *f)
{
    struct threads_file *p = mem_of(f->path, 1, sizeof *p, "an open file");
    if (!p)
        return -ENOMEM;
    p->write_back = (f->flags & (IO_WRITE_BACK | IO_DIRECT)) == IO_WRITE_BACK;
    p->fd = io_descriptor_open(f);
    if (p->fd < 0) {
        int rc = p->fd;
        free(p);
        return rc;
    }
    f->priv = p;
    f->layer = "POSIX";
    return 0;
}

/* With the lock held: waits until no helper has a request of the file. */
static void wait_for_file(struct threads_queue *q, const struct threads_file *p)
{
    while (p->busy)
        pthread_cond_wait(&q->event, &q->lock);
}

/* Closes the file: helpers finish what they have begun; requests in line
 * are dropped. */
static int threads_close(struct io_file *f)
{
    struct threads_queue *q = f->queue->priv;
    struct threads_file *p = f->priv;
    pthread_mutex_lock(&q->lock);
    p->busy -= threads_leave_out(q, &q->todo, f);
    wait_for_file(q, p);
    threads_leave_out(q, &q->finished, f);
    pthread_mutex_unlock(&q->lock);
    int rc = close(p->fd) ? -errno : 0;
    free(p);
    if (rc)
        return err_set(rc, f->path, -1, "close failed: %s", strerror(-rc));
    return 0;
}

/* ---- transfers -------------------------------------------------------------- */

static int threads_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct threads_queue *p = q->priv;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < n; i++) {
        struct slot *s = p->unused; /* there is one: the core counts to depth */
        p->unused = s->next;
        *s = (struct slot){.r = r[i], .is = *r[i]};
        file_of(s)->busy++;
        threads_put(&p->todo, s);
        pthread_cond_signal(&p->work);
    }
    pthread_mutex_unlock(&p->lock);
    return 0;
}

static struct timespec after(double limit_s)
{
    int64_t ns = clock_ns() + (int64_t)(limit_s * 1e9);
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

/* With the lock held: waits until a request is finished, or the time is over. */
static void threads_wait_for_any(struct threads_queue *p, double limit_s)
{
    struct timespec end = after(limit_s);
    int rc = 0;
    while (!p->finished.first && !rc)
        rc = limit_s > 0 ? pthread_cond_timedwait(&p->event, &p->lock, &end)
                         : pthread_cond_wait(&p->event, &p->lock);
}

static int threads_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                        double limit_s)
{
    struct threads_queue *p = q->priv;
    struct slot *s;
    int n = 0;
    pthread_mutex_lock(&p->lock);
    if (min > 0)
        threads_wait_for_any(p, limit_s);
    while (n < max && (s = threads_take(&p->finished))) {
        done[n] = s->r;
        done[n]->done = s->done;
        if (s->rc)
            io_req_fail(done[n], s->rc, s->why ? s->why : strerror(-s->rc));
        n++;
        give_back(p, s);
    }
    pthread_mutex_unlock(&p->lock);
    return n;
}

/* Syncs after all requests have ended, as fsync(2) does not cover writes in flight. */
static int threads_sync(struct io_file *f)
{
    struct threads_queue *q = f->queue->priv;
    const struct threads_file *p = f->priv;
    pthread_mutex_lock(&q->lock);
    wait_for_file(q, p);
    pthread_mutex_unlock(&q->lock);
    return io_descriptor_sync(f, p->fd);
}

const struct io_engine io_engine_threads = {
    .name = "threads",
    .options = "depth|helpers|piece",
    .can = IO_CAN_DSYNC | IO_CAN_DATA_SYNC | IO_CAN_DIRECT | IO_CAN_WRITE_BACK |
           IO_CAN_SHARE,
    .queue_open = threads_queue_open,
    .queue_close = threads_queue_close,
    .open = threads_open,
    .start = threads_start,
    .reap = threads_reap,
    .sync = threads_sync,
    .close = threads_close,
};
