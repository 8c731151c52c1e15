/* Reads whole files by way of a ring; without liburing (no HAVE_LIBURING_DIRECT) they
 * are read one after another.
 *
 * A file takes three linked entries: the kernel opens it into a slot of the ring's own
 * table, reads and closes it, without a descriptor of the process and without returning
 * to us. A short read does not stop the close. */
#include "io/whole_inside.h"
#include <errno.h>

#ifdef HAVE_LIBURING_DIRECT
#include "base/clock.h"
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

enum step { OPENED, READ, CLOSED, STEPS };
enum { MAX_READ = 1 << 30 };

struct chain {
    struct io_whole *whole; /* NULL: the slot is free */
    int result[STEPS], left;
};

struct whole_ring {
    struct io_uring ring;
    struct chain chain[IO_WHOLE_DEPTH];
};

/* ---- chains ---------------------------------------------------------------------- */

static void end_entry(struct io_uring_sqe *sqe, unsigned flags, int slot, enum step s)
{
    io_uring_sqe_set_flags(sqe, flags);
    io_uring_sqe_set_data(sqe, (void *)((uintptr_t)slot * STEPS + s));
}

void whole_ring_add(struct whole_ring *q, int folder, int how, struct io_whole *w)
{
    int slot = 0;
    while (q->chain[slot].whole)
        slot++;
    q->chain[slot] = (struct chain){.whole = w, .left = STEPS};
    struct io_uring_sqe *sqe = io_uring_get_sqe(&q->ring);
    /* descriptors in the ring's table are not inherited, and cannot be close-on-exec */
    io_uring_prep_openat_direct(sqe, folder, w->name, how & ~O_CLOEXEC, 0,
                                (unsigned)slot);
    end_entry(sqe, IOSQE_IO_LINK, slot, OPENED);
    sqe = io_uring_get_sqe(&q->ring);
    io_uring_prep_read(sqe, slot, w->buf,
                       (unsigned)(w->room < MAX_READ ? w->room : MAX_READ), 0);
    end_entry(sqe, IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK, slot, READ);
    sqe = io_uring_get_sqe(&q->ring);
    io_uring_prep_close_direct(sqe, (unsigned)slot);
    end_entry(sqe, 0, slot, CLOSED);
}

static bool will_retry(int rc)
{
    return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR;
}

int whole_ring_submit(struct whole_ring *q)
{
    unsigned n = io_uring_sq_ready(&q->ring);
    int rc = n ? io_uring_submit(&q->ring) : 0;
    if (rc > 0 && (unsigned)rc < n) /* a chain may be split */
        return -ENOMEM;
    return rc >= 0 || will_retry(rc) ? 0 : rc;
}

/* Times a step, which ends when its completion is seen. */
static void time_step(struct io_whole *w, enum step s)
{
    int64_t *part[STEPS] = {&w->open_ns, &w->move_ns, &w->close_ns};
    int64_t ns = clock_ns() - w->start_ns;
    for (int i = 0; i < (int)s; i++)
        ns -= *part[i];
    *part[s] = ns;
}

/* Books a step. A completed chain releases its slot. */
static bool end_chain(struct chain *c, enum step s, int result, struct whole_done *done)
{
    c->result[s] = result;
    time_step(c->whole, s);
    if (--c->left)
        return false;
    *done = (struct whole_done){.whole = c->whole,
                                .opened = c->result[OPENED],
                                .read = c->result[READ],
                                .closed = c->result[CLOSED]};
    c->whole = NULL;
    return true;
}

static int whole_ring_collect(struct whole_ring *q, struct whole_done *done, int max)
{
    struct io_uring_cqe *cqe;
    int n = 0;
    while (n < max && !io_uring_peek_cqe(&q->ring, &cqe)) {
        uintptr_t mark = (uintptr_t)io_uring_cqe_get_data(cqe);
        n += end_chain(&q->chain[mark / STEPS], (enum step)(mark % STEPS), cqe->res,
                       &done[n]);
        io_uring_cqe_seen(&q->ring, cqe);
    }
    return n;
}

int whole_ring_reap(struct whole_ring *q, struct whole_done *done, int max, bool wait,
                    double limit_s)
{
    struct io_uring_cqe *cqe;
    struct __kernel_timespec t = {.tv_sec = (long long)limit_s};
    t.tv_nsec = (long long)((limit_s - (double)t.tv_sec) * 1e9);
    int rc = whole_ring_submit(q), n = whole_ring_collect(q, done, max);
    if (rc || n || !wait)
        return n ? n : rc;
    rc = limit_s > 0 ? io_uring_wait_cqe_timeout(&q->ring, &cqe, &t)
                     : io_uring_wait_cqe(&q->ring, &cqe);
    n = whole_ring_collect(q, done, max);
    return n || !rc || rc == -ETIME || will_retry(rc) ? n : rc;
}

/* ---- opening --------------------------------------------------------------------- */

/* Tries a chain. Kernels from 5.15 on support it, which only a trial shows. */
static int try_out(struct whole_ring *q)
{
    char byte;
    struct io_whole w = {.name = "null", .buf = &byte, .room = 1};
    struct whole_done done = {.opened = -ENOSYS};
    int dev = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
    if (dev < 0)
        return -errno;
    whole_ring_add(q, dev, O_RDONLY, &w);
    while (!n)
        n = whole_ring_reap(q, &done, 1, true, 0);
    close(dev);
    return n < 0 ? n : done.opened ? done.opened : done.read ? done.read : done.closed;
}

static int whole_ring_prepare(struct whole_ring *q)
{
    int none[IO_WHOLE_DEPTH];
    int rc = io_uring_queue_init(STEPS * IO_WHOLE_DEPTH, &q->ring, 0);
    if (rc)
        return rc;
    memset(none, -1, sizeof none);
    rc = io_uring_register_files(&q->ring, none, IO_WHOLE_DEPTH);
    rc = rc ? rc : try_out(q);
    if (rc)
        io_uring_queue_exit(&q->ring);
    return rc;
}

int whole_ring_open(struct whole_ring **ring)
{
    struct whole_ring *q = calloc(1, sizeof *q);
    int rc = q ? whole_ring_prepare(q) : -ENOMEM;
    if (rc) {
        free(q);
        q = NULL;
    }
    *ring = q;
    return rc;
}

void whole_ring_close(struct whole_ring **ring)
{
    struct whole_ring *q = *ring;
    if (q) {
        io_uring_unregister_files(&q->ring);
        io_uring_queue_exit(&q->ring);
    }
    free(q);
    *ring = NULL;
}

#else /* no liburing */

int whole_ring_open(struct whole_ring **ring)
{
    *ring = NULL;
    return -ENOSYS;
}

void whole_ring_close(struct whole_ring **ring)
{
    (void)ring;
}

void whole_ring_add(struct whole_ring *ring, int folder, int how, struct io_whole *w)
{
    (void)ring;
    (void)folder;
    (void)how;
    (void)w;
}

int whole_ring_submit(struct whole_ring *ring)
{
    (void)ring;
    return -ENOSYS;
}

int whole_ring_reap(struct whole_ring *ring, struct whole_done *done, int max,
                    bool wait, double limit_s)
{
    (void)ring;
    (void)done;
    (void)max;
    (void)wait;
    (void)limit_s;
    return -ENOSYS;
}

#endif
