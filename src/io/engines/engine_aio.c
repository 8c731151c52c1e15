/* aio: POSIX asynchronous I/O as glibc implements it: by its own threads in this
 * process.
 *   aio:descriptors=N   requests are dealt to N duplicates of the file's descriptor,
 *                       each to the one that has the fewest (default: 1)
 *   aio:threads=N       the most threads that glibc may have in this process. It
 *                       accepts this once, before the first request: another number is
 *                       refused later (default: as many as there are descriptors)
 *   aio:piece=N         the largest number of bytes in one operation; a larger request
 *                       is split into several (default: 4 MiB)
 *   aio:depth=N         operations that glibc may have at once (as for uring)
 *
 * glibc makes the requests of one descriptor one after another, whatever their number:
 * one thread owns a descriptor while it has requests. So there are as many threads as
 * descriptors with requests, and a deeper queue on one descriptor does not increase the
 * concurrency. A thread without work ends after a second. glibc starts its threads with
 * all signals blocked.
 *
 * Requests of a descriptor complete in order, so only the first of each is checked.
 *
 * With IO_WRITE_BACK each piece written is followed by aio_fsync(3) with O_DSYNC, as in
 * the engine threads: it applies to the whole file. */
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/engine.h"

/* ThreadSanitizer does not see glibc start threads, and aborts in their allocations. */
#if defined __GLIBC__ && !defined __SANITIZE_THREAD__
#include "io/engines/pieces.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIECE (INT64_C(4) << 20)
#define PIECE_MOST (INT64_C(1) << 30) /* Linux moves at most 2 GiB - 4 KiB in a call */
#define RETRY_S 0.001 /* if glibc has no memory or thread for a request at the moment */

enum {
    BATCH = 64,           /* requests of one lio_listio(3) */
    THREADS_USUAL = 8192, /* more than descriptors */
    UNTOUCHED = -1        /* aio_error of a request that glibc has not seen */
};

struct op { /* a piece's transfer, or its sync */
    struct aiocb cb;
    struct piece *one;
    struct aio_line *line;
    bool syncs;
    struct op *next;
};

struct ops { /* first in, first out */
    struct op *first, *last;
};

struct aio_line { /* a descriptor, and its operations in glibc in order of completion */
    int fd, dealt;
    struct ops taken;
};

struct aio_queue {
    struct pieces *pieces;
    struct op *all, *unused; /* as many as pieces */
    struct ops ready;        /* prepared, and not yet in glibc */
    struct aio_line **busy;  /* busy_count lines that have operations in glibc */
    int busy_count;
    const struct aiocb **heads; /* their first operations, for aio_suspend */
};

struct aio_file {
    int count;       /* number of lines */
    bool write_back; /* writes are synced */
    bool closing;    /* no new operation is started */
    struct aio_line lines[];
};

static void ops_put(struct ops *l, struct op *op)
{
    op->next = NULL;
    if (l->first)
        l->last->next = op;
    else
        l->first = op;
    l->last = op;
}

static struct op *ops_take(struct ops *l)
{
    struct op *op = l->first;
    l->first = op->next;
    return op;
}

/* ---- glibc's threads ----------------------------------------------------------- */

/* The limit is the process's, as the threads are. It is kept here because glibc does
 * not return it. */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static int threads_limit; /* 0: not yet set in glibc */

/* Sets the limit. Returns 0, or -EINVAL with a sentence; *limit: the limit
 * in effect. */
static int limit_threads(const struct io_queue *q, int *limit)
{
    int64_t asked = io_option(q->options, "threads", 0);
    asked = asked < THREADS_USUAL ? asked : THREADS_USUAL;
    pthread_mutex_lock(&threads_lock);
    if (!threads_limit) {
        threads_limit = asked ? (int)asked : THREADS_USUAL;
        aio_init(&(struct aioinit){.aio_threads = threads_limit, .aio_num = 64});
    }
    *limit = threads_limit;
    pthread_mutex_unlock(&threads_lock);
    if (!asked || *limit == asked)
        return 0;
    return err_usage("I/O engine aio with threads=%lld: glibc takes that once in a "
                     "process, and has %d: leave it out, or start another run",
                     (long long)asked, *limit);
}

/* ---- opening and closing ------------------------------------------------------- */

static void aio_release(struct aio_queue *p)
{
    pieces_free(p->pieces);
    free(p->all);
    free(p->busy);
    free(p->heads);
    free(p);
}

static struct aio_queue *aio_make(const struct io_queue *q)
{
    struct aio_queue *p = thread_alloc(sizeof *p, "requests");
    int64_t piece = io_option(q->options, "piece", PIECE);
    if (!p)
        return NULL;
    p->pieces = pieces_make(q, piece < PIECE_MOST ? piece : PIECE_MOST);
    size_t n = p->pieces ? (size_t)pieces_count(p->pieces) : 0;
    p->all = n ? thread_alloc(n * sizeof p->all[0], "requests") : NULL;
    p->busy = n ? thread_alloc(n * sizeof p->busy[0], "requests") : NULL;
    p->heads = n ? thread_alloc(n * sizeof p->heads[0], "requests") : NULL;
    if (!n || !p->all || !p->busy || !p->heads) {
        aio_release(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        p->all[i].next = p->unused;
        p->unused = &p->all[i];
    }
    return p;
}

static int aio_queue_open(struct io_queue *q)
{
    int limit, rc = limit_threads(q, &limit);
    struct aio_queue *p = rc ? NULL : aio_make(q);
    if (!rc && !p)
        rc = -ENOMEM;
    q->priv = p;
    return rc;
}

static void aio_queue_close(struct io_queue *q)
{
    aio_release(q->priv);
}

static int close_lines(struct aio_file *p)
{
    int rc = 0;
    for (int i = 0; i < p->count; i++)
        if (close(p->lines[i].fd))
            rc = -errno;
    free(p);
    return rc;
}

/* The number of descriptors: no more than pieces, as others would never be used. */
static int aio_lines_of(const struct io_file *f)
{
    const struct aio_queue *q = f->queue->priv;
    int64_t n = io_option(f->options, "descriptors", 1);
    return n < pieces_count(q->pieces) ? (int)n : pieces_count(q->pieces);
}

static int open_lines(const struct io_file *f, struct aio_file *p, int n)
{
    int fd = io_descriptor_open(f);
    if (fd < 0)
        return fd;
    p->lines[p->count++].fd = fd;
    while (p->count < n) {
        int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (copy < 0)
            return err_set(-errno, f->path, -1,
                           "descriptor %d of %d cannot be made: %s; descriptors= asks "
                           "for fewer",
                           p->count + 1, n, strerror(errno));
        p->lines[p->count++].fd = copy;
    }
    return 0;
}

/* The reason why requests in flight are not made concurrently; NULL: they are. */
static const char *why_in_turn(const struct io_file *f, int lines)
{
    int limit;
    if (lines == 1)
        return "glibc moves the requests of one descriptor one after another "
               "(aio:descriptors=N deals them to N)";
    limit_threads(f->queue, &limit);
    return limit > 1 ? NULL : "glibc has one thread for all requests (threads=1)";
}

static int aio_open(struct io_file *f)
{
    int n = aio_lines_of(f);
    struct aio_file *p =
        thread_alloc(sizeof *p + (size_t)n * sizeof p->lines[0], "an open file");
    if (!p)
        return -ENOMEM;
    p->write_back = (f->flags & (IO_WRITE_BACK | IO_DIRECT)) == IO_WRITE_BACK;
    int rc = open_lines(f, p, n);
    if (rc) {
        close_lines(p);
        return rc;
    }
    f->priv = p;
    f->layer = "glibc AIO";
    f->in_turn = why_in_turn(f, n);
    return 0;
}

/* ---- submitting ---------------------------------------------------------------- */

/* The line with the fewest requests, so that none has two while another has none. */
static struct aio_line *deal(struct aio_file *f)
{
    struct aio_line *to = &f->lines[0];
    for (int i = 1; i < f->count && to->dealt; i++)
        if (f->lines[i].dealt < to->dealt)
            to = &f->lines[i];
    to->dealt++;
    return to;
}

static void aio_prepare(struct aio_queue *p, struct piece *one)
{
    struct op *op = p->unused;
    p->unused = op->next;
    op->one = one;
    op->syncs = false;
    op->line = deal(one->r->file->priv);
    ops_put(&p->ready, op);
}

/* Fills the control block. Other members belong to glibc: as long as it has not seen
 * the request, aio_error returns UNTOUCHED. */
static void fill(struct op *op)
{
    const struct piece *one = op->one;
    const struct io_req *r = one->r;
    memset(&op->cb, 0xff, sizeof op->cb);
    op->cb.aio_fildes = op->line->fd;
    op->cb.aio_lio_opcode = r->op == IO_OP_READ ? LIO_READ : LIO_WRITE;
    op->cb.aio_reqprio = 0;
    op->cb.aio_buf = (char *)r->buf + one->at;
    op->cb.aio_nbytes = (size_t)one->bytes;
    op->cb.aio_offset = r->offset + one->at;
    op->cb.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_NONE};
}

static void take_over(struct aio_queue *p, struct op *op)
{
    if (!op->line->taken.first)
        p->busy[p->busy_count++] = op->line;
    ops_put(&op->line->taken, op);
}

/* Counts the operations that glibc has taken: each has its own status, even if the call
 * failed. Returns the others, in order, to the front of `ready`. */
static int sort_out(struct aio_queue *p, struct op *ops[], int n, bool all)
{
    struct ops left = {0};
    int taken = 0;
    for (int i = 0; i < n; i++) {
        int rc = all ? 0 : aio_error(&ops[i]->cb);
        if (rc == UNTOUCHED || rc == EAGAIN) {
            ops_put(&left, ops[i]);
            continue;
        }
        take_over(p, ops[i]);
        taken++;
    }
    if (left.first) {
        left.last->next = p->ready.first;
        p->ready.last = p->ready.first ? p->ready.last : left.last;
        p->ready.first = left.first;
    }
    return taken;
}

/* Submits as many operations as fit in one call, or one sync. Sets how many were asked
 * and taken. Returns 0, or -errno of the call. */
static int hand_over(struct aio_queue *p, int *asked, int *taken)
{
    struct op *ops[BATCH];
    struct aiocb *list[BATCH];
    int n = 0, rc;
    bool sync = p->ready.first->syncs;
    while (n < (sync ? 1 : BATCH) && p->ready.first && p->ready.first->syncs == sync) {
        ops[n] = ops_take(&p->ready);
        fill(ops[n]);
        list[n] = &ops[n]->cb;
        n++;
    }
    rc = sync ? aio_fsync(O_DSYNC, list[0]) : lio_listio(LIO_NOWAIT, list, n, NULL);
    rc = rc ? -errno : 0;
    *asked = n;
    *taken = sort_out(p, ops, n, !rc);
    return rc;
}

static void finish(struct aio_queue *p, struct op *op, int64_t result);

/* Submits what is ready. If glibc has no room, the rest stays ready for the next time;
 * other errors fail the request. */
static void aio_submit(struct aio_queue *p)
{
    struct piece *one;
    int asked, taken;
    while ((one = pieces_next(p->pieces)))
        aio_prepare(p, one);
    while (p->ready.first) {
        int rc = hand_over(p, &asked, &taken);
        if (taken == asked)
            continue;
        if (rc == -EAGAIN || rc == -EIO || taken)
            return;
        finish(p, ops_take(&p->ready), rc);
    }
}

/* ---- results --------------------------------------------------------------- */

static void done_with(struct aio_queue *p, struct op *op, int64_t result)
{
    struct piece *one = op->one;
    op->line->dealt--;
    op->next = p->unused;
    p->unused = op;
    pieces_result(p->pieces, one, result);
}

static bool is_synced(const struct piece *one)
{
    const struct aio_file *f = one->r->file->priv;
    return f->write_back && one->r->op == IO_OP_WRITE && !f->closing;
}

/* Reduces the bytes that count as transferred to the request's first `to`. */
static void take_back(struct piece *one, int64_t to)
{
    one->bytes += one->at - to;
    one->at = to;
}

/* Books a result. A piece with write-back counts only as a whole. */
static void aio_moved(struct aio_queue *p, struct op *op, int64_t result)
{
    bool synced = is_synced(op->one);
    op->syncs = synced && result == op->one->bytes;
    if (op->syncs) {
        ops_put(&p->ready, op);
        return;
    }
    if (synced && result <= 0)
        take_back(op->one, op->one->from);
    done_with(p, op, result);
}

/* Books a sync's result. The kernel reports failed write-back once, without the place:
 * so nothing of the request counts. */
static void finish_sync(struct aio_queue *p, struct op *op, int64_t result)
{
    if (result == -EINTR) {
        ops_put(&p->ready, op);
        return;
    }
    if (result)
        take_back(op->one, 0);
    done_with(p, op, result ? result : op->one->bytes);
}

static void finish(struct aio_queue *p, struct op *op, int64_t result)
{
    if (op->syncs)
        finish_sync(p, op, result);
    else
        aio_moved(p, op, result);
}

/* Collects the completed operations of a descriptor. Returns true if some are left. */
static bool collect_line(struct aio_queue *p, struct aio_line *l)
{
    int rc;
    while (l->taken.first && (rc = aio_error(&l->taken.first->cb)) != EINPROGRESS) {
        struct op *op = ops_take(&l->taken);
        ssize_t result = aio_return(&op->cb);
        finish(p, op, rc ? -rc : result);
    }
    return l->taken.first;
}

static void aio_collect(struct aio_queue *p)
{
    int left = 0;
    for (int i = 0; i < p->busy_count; i++)
        if (collect_line(p, p->busy[i]))
            p->busy[left++] = p->busy[i];
    p->busy_count = left;
}

/* Waits until an operation completes, a signal comes, or the time is over (0:
 * no limit). */
static int aio_wait_for_any(const struct io_queue *q, double limit_s)
{
    struct aio_queue *p = q->priv;
    if (p->ready.first)
        limit_s = RETRY_S;
    struct timespec t = {.tv_sec = (time_t)limit_s};
    t.tv_nsec = (long)((limit_s - (double)t.tv_sec) * 1e9);
    for (int i = 0; i < p->busy_count; i++)
        p->heads[i] = &p->busy[i]->taken.first->cb;
    if (!p->busy_count)
        nanosleep(&t, NULL);
    else if (aio_suspend(p->heads, p->busy_count, limit_s > 0 ? &t : NULL) &&
             errno != EAGAIN && errno != EINTR)
        return err_set(-errno, io_queue_path(q), -1,
                       "waiting for asynchronous I/O failed: %s", strerror(errno));
    return 0;
}

static int aio_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct aio_queue *p = q->priv;
    for (int i = 0; i < n; i++)
        pieces_add(p->pieces, r[i]);
    aio_submit(p);
    return 0;
}

static int aio_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                    double limit_s)
{
    struct aio_queue *p = q->priv;
    int rc = 0;
    aio_collect(p);
    aio_submit(p);
    if (min > 0 && !pieces_any_done(p->pieces)) {
        rc = aio_wait_for_any(q, limit_s);
        aio_collect(p);
        aio_submit(p);
    }
    int n = pieces_reap(p->pieces, done, max);
    return n ? n : rc;
}

/* Waits for one more result of any file; the watchdog limits the time. */
static int aio_wait_more(struct io_queue *q)
{
    int rc = aio_wait_for_any(q, 0);
    aio_collect(q->priv);
    aio_submit(q->priv);
    return rc;
}

static int aio_sync(struct io_file *f)
{
    struct aio_queue *q = f->queue->priv;
    const struct aio_file *p = f->priv;
    int rc = 0;
    aio_submit(q);
    while (!rc && pieces_busy(q->pieces, f))
        rc = aio_wait_more(f->queue);
    return rc ? rc : io_descriptor_sync(f, p->lines[0].fd);
}

/* Drops the file's operations that glibc has not taken yet. */
static void drop_ready(struct aio_queue *p, const struct io_file *f)
{
    struct op *op = p->ready.first, *next;
    p->ready.first = NULL;
    for (; op; op = next) {
        next = op->next;
        if (op->one->r->file == f)
            done_with(p, op, -ECANCELED);
        else
            ops_put(&p->ready, op);
    }
}

/* Closes the file: cancels operations that no thread has begun, and waits
 * for others. */
static int aio_close(struct io_file *f)
{
    struct aio_queue *q = f->queue->priv;
    struct aio_file *p = f->priv;
    int failed = 0;
    p->closing = true;
    drop_ready(q, f);
    for (int i = 0; i < p->count; i++)
        if (p->lines[i].taken.first)
            aio_cancel(p->lines[i].fd, NULL);
    aio_collect(q);
    while (!failed && pieces_drop(q->pieces, f))
        failed = aio_wait_more(f->queue);
    if (failed) /* glibc may still use all of it */
        return failed;
    int rc = close_lines(p);
    if (rc)
        return err_set(rc, f->path, -1, "close failed: %s", strerror(-rc));
    return 0;
}

const struct io_engine io_engine_aio = {
    .name = "aio",
    .options = "depth|descriptors|piece|threads",
    .can = IO_CAN_DSYNC | IO_CAN_DATA_SYNC | IO_CAN_DIRECT | IO_CAN_WRITE_BACK |
           IO_CAN_SHARE,
    .queue_open = aio_queue_open,
    .queue_close = aio_queue_close,
    .open = aio_open,
    .start = aio_start,
    .reap = aio_reap,
    .sync = aio_sync,
    .close = aio_close,
};

#else
const struct io_engine io_engine_aio = {
    .name = "aio",
    .reason = "it needs glibc, whose asynchronous I/O it is about, and a build without "
              "ThreadSanitizer",
};
#endif
