/* libaio: the kernel's older asynchronous I/O, which databases use.
 *   libaio:piece=N   the largest number of bytes in one operation; a larger request is
 *                    split into several, in flight at the same time (default: 4 MiB)
 *   libaio:depth=N   operations that may be in the kernel at once (as for uring)
 *
 * The kernel works in the background only past the page cache (O_DIRECT). Otherwise
 * everything happens within io_submit(2), one operation after the other: results are
 * right, and nothing overlaps. */
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/units.h"
#include "io/engine.h"
#include "io/engines/pieces.h"
#include <errno.h>
#include <libaio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIECE (INT64_C(4) << 20)
#define PIECE_MOST (INT64_C(1) << 30) /* Linux moves at most 2 GiB - 4 KiB in a call */
#define RETRY_S 0.001 /* if the kernel has no room for a request at the moment */

struct libaio_queue {
    io_context_t context; /* NULL: none */
    struct pieces *pieces;
    struct iocb *unused; /* linked by their data, which libaio does not touch */
    struct iocb **ready; /* ready_count prepared entries, not submitted, in order */
    int ready_count;
    struct iocb *all;        /* as many as pieces */
    struct io_event *events; /* as many as pieces */
};

/* ---- opening and closing ---------------------------------------------------- */

static void libaio_release(struct libaio_queue *p)
{
    if (p->context)
        io_destroy(p->context);
    pieces_free(p->pieces);
    free(p->ready);
    free(p->all);
    free(p->events);
    free(p);
}

static struct libaio_queue *libaio_make(const struct io_queue *q)
{
    struct libaio_queue *p = thread_alloc(sizeof *p, "requests");
    int64_t piece = io_option(q->options, "piece", PIECE);
    if (!p)
        return NULL;
    p->pieces = pieces_make(q, piece < PIECE_MOST ? piece : PIECE_MOST);
    size_t n = p->pieces ? (size_t)pieces_count(p->pieces) : 0;
    p->ready = mem_new(n, sizeof p->ready[0], "requests");
    p->all = mem_new(n, sizeof p->all[0], "requests");
    p->events = mem_new(n, sizeof p->events[0], "requests");
    if (!n || !p->ready || !p->all || !p->events) {
        libaio_release(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        p->all[i].data = p->unused;
        p->unused = &p->all[i];
    }
    return p;
}

static int set_up(const char *path, int n, io_context_t *context)
{
    *context = NULL;
    int rc = io_setup(n, context);
    if (!rc)
        return 0;
    *context = NULL;
    return err_set(
        rc, path, -1,
        "the kernel's asynchronous I/O cannot be used (%d request%s): %s; the "
        "engine threads is asynchronous without it",
        n, units_s(n),
        rc == -EAGAIN ? "sysctl fs.aio-max-nr allows no more" : strerror(-rc));
}

static int libaio_usable(void)
{
    io_context_t context;
    int rc = set_up(NULL, 1, &context);
    if (!rc)
        io_destroy(context);
    return rc;
}

static int libaio_queue_open(struct io_queue *q)
{
    struct libaio_queue *p = libaio_make(q);
    if (!p)
        return -ENOMEM;
    int rc = set_up(io_queue_path(q), pieces_count(p->pieces), &p->context);
    if (rc)
        libaio_release(p);
    else
        q->priv = p;
    return rc;
}

static void libaio_queue_close(struct io_queue *q)
{
    libaio_release(q->priv);
}

static int fd_of(const struct io_file *f)
{
    return (int)(intptr_t)f->priv;
}

static int libaio_open(struct io_file *f)
{
    int fd = io_descriptor_open(f);
    if (fd < 0)
        return fd;
    f->priv = (void *)(intptr_t)fd;
    f->layer = "Linux AIO";
    return 0;
}

/* ---- transfers -------------------------------------------------------------- */

static void libaio_prepare(struct libaio_queue *p, struct piece *one)
{
    struct iocb *cb = p->unused;
    void *at = (char *)one->r->buf + one->at;
    int fd = fd_of(one->r->file);
    p->unused = cb->data;
    if (one->r->op == IO_OP_READ)
        io_prep_pread(cb, fd, at, (size_t)one->bytes, one->r->offset + one->at);
    else
        io_prep_pwrite(cb, fd, at, (size_t)one->bytes, one->r->offset + one->at);
    cb->data = one;
    p->ready[p->ready_count++] = cb;
}

static void libaio_result(struct libaio_queue *p, struct iocb *cb, long what)
{
    struct piece *one = cb->data;
    cb->data = p->unused;
    p->unused = cb;
    pieces_result(p->pieces, one, what);
}

static void forget_ready(struct libaio_queue *p, int n)
{
    p->ready_count -= n;
    memmove(p->ready, p->ready + n, (size_t)p->ready_count * sizeof p->ready[0]);
}

/* Submits what is ready. If the kernel is full, the rest stays ready for the next time.
 * Another error fails the first entry, as it concerns no other. */
static void libaio_submit(struct libaio_queue *p)
{
    struct piece *one;
    while ((one = pieces_next(p->pieces)))
        libaio_prepare(p, one);
    while (p->ready_count) {
        int n = io_submit(p->context, p->ready_count, p->ready);
        if (n == -EAGAIN || n == 0)
            return;
        if (n == -EINTR)
            continue;
        if (n < 0) {
            struct iocb *first = p->ready[0];
            forget_ready(p, 1);
            libaio_result(p, first, n);
        } else
            forget_ready(p, n);
    }
}

/* Collects completed entries: at least `least`, unless the time passes (0: no limit) or
 * a signal comes. */
static int libaio_collect(struct io_queue *q, int least, double limit_s)
{
    struct libaio_queue *p = q->priv;
    if (least && p->ready_count)
        limit_s = RETRY_S;
    struct timespec t = {.tv_sec = (time_t)limit_s};
    t.tv_nsec = (long)((limit_s - (double)t.tv_sec) * 1e9);
    int n = io_getevents(p->context, least, pieces_count(p->pieces), p->events,
                         least && limit_s <= 0 ? NULL : &t);
    if (n < 0 && n != -EINTR && n != -EAGAIN)
        return err_set(n, io_queue_path(q), -1,
                       "waiting for asynchronous I/O failed: %s", strerror(-n));
    for (int i = 0; i < n; i++)
        libaio_result(p, p->events[i].obj, (long)p->events[i].res);
    return 0;
}

static int libaio_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct libaio_queue *p = q->priv;
    for (int i = 0; i < n; i++)
        pieces_add(p->pieces, r[i]);
    libaio_submit(p);
    return 0;
}

static int libaio_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                       double limit_s)
{
    struct libaio_queue *p = q->priv;
    int rc = pieces_under_way(p->pieces) ? libaio_collect(q, 0, 0) : 0;
    libaio_submit(p);
    if (!rc && min > 0 && !pieces_any_done(p->pieces)) {
        rc = libaio_collect(q, 1, limit_s);
        libaio_submit(p);
    }
    int n = pieces_reap(p->pieces, done, max);
    return n ? n : rc;
}

/* Waits for one more result of any file; the watchdog limits the time. */
static int libaio_wait_more(struct io_queue *q)
{
    struct libaio_queue *p = q->priv;
    int rc = libaio_collect(q, pieces_under_way(p->pieces) > 0, 0);
    libaio_submit(p);
    return rc;
}

static int libaio_sync(struct io_file *f)
{
    struct libaio_queue *p = f->queue->priv;
    int rc = 0;
    libaio_submit(p);
    while (!rc && pieces_busy(p->pieces, f))
        rc = libaio_wait_more(f->queue);
    return rc ? rc : io_descriptor_sync(f, fd_of(f));
}

/* Drops the file's entries that the kernel has not taken yet. */
static void drop_ready(struct libaio_queue *p, const struct io_file *f)
{
    int left = 0;
    for (int i = 0; i < p->ready_count; i++) {
        struct iocb *cb = p->ready[i];
        const struct piece *one = cb->data;
        if (one->r->file == f)
            libaio_result(p, cb, -ECANCELED);
        else
            p->ready[left++] = cb;
    }
    p->ready_count = left;
}

/* Closes the file after waiting for what the kernel has of it. */
static int libaio_close(struct io_file *f)
{
    struct libaio_queue *p = f->queue->priv;
    int failed = 0;
    drop_ready(p, f);
    while (!failed && pieces_drop(p->pieces, f))
        failed = libaio_wait_more(f->queue);
    if (close(fd_of(f)))
        return err_set(-errno, f->path, -1, "close failed: %s", strerror(errno));
    return 0;
}

const struct io_engine io_engine_libaio = {
    .name = "libaio",
    .options = "depth|piece",
    .can = IO_CAN_DSYNC | IO_CAN_DATA_SYNC | IO_CAN_DIRECT | IO_NEEDS_DIRECT |
           IO_CAN_SHARE | IO_IN_KERNEL,
    .usable = libaio_usable,
    .queue_open = libaio_queue_open,
    .queue_close = libaio_queue_close,
    .open = libaio_open,
    .start = libaio_start,
    .reap = libaio_reap,
    .sync = libaio_sync,
    .close = libaio_close,
};
