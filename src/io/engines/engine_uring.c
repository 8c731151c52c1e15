/* uring: io_uring through liburing: asynchronous without threads of ours.
 *   uring:piece=N   the largest number of bytes in one operation; a larger request is
 *                   split into several, in flight at the same time (default: 4 MiB,
 *                   whose overhead is negligible, and which lets a request of some ten
 *                   MiB keep several devices busy)
 *   uring:depth=N   operations that may be in the kernel at once; the others wait in
 *                   line (default: all, up to 128 or the depth that the file was opened
 *                   for)
 *   uring:sqpoll    a thread of the kernel takes requests: none costs a system call,
 *                   and a core is busy with polling for them
 *   uring:iopoll    the kernel polls the device for completions instead of being
 *                   interrupted: past the page cache only, and only if the device has
 *                   queues for it
 *   uring:plain     neither the file nor the buffers are registered with the kernel
 *                   (fio's default)
 *
 * All requests of one start go to the kernel in one system call. The ring has room for
 * every piece that may be in flight, so it is never full.
 *
 * With IO_WRITE_BACK each piece written is followed by a sync_file_range(2) of its
 * bytes, which the kernel starts by itself when they are in the page cache. Then the
 * device has them, but perhaps in a cache of its own, and the file's size and its block
 * map may still be in memory: they are safe after io_file_sync. */
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/engine.h"
#include "io/engines/pieces.h"
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PIECE (INT64_C(4) << 20)
#define PIECE_MOST (INT64_C(1) << 30) /* a length has 32 bits, and a result 31 */
#define RETRY_S 0.001 /* if the kernel has no memory for a request at the moment */

enum { SYNC = 1 }; /* added to a piece's address: the result is that of its sync */
enum { PLAIN = 1, SQPOLL = 2, IOPOLL = 4, WAYS = 8 };

static const char *const layers[WAYS] = {"io_uring",
                                         "io_uring plain",
                                         "io_uring sqpoll",
                                         "io_uring plain sqpoll",
                                         "io_uring iopoll",
                                         "io_uring plain iopoll",
                                         "io_uring sqpoll iopoll",
                                         "io_uring plain sqpoll iopoll"};

struct uring_queue {
    struct io_uring ring;
    int way;               /* PLAIN | SQPOLL | IOPOLL */
    struct iovec *buffers; /* buffer_count buffers registered with the ring */
    int buffer_count;
    bool linked; /* some sync was linked to its write */
    struct pieces *pieces;
};

struct uring_file {
    int fd;
    int target;      /* file in entries: fd, or its number in the ring */
    unsigned how;    /* flags of every entry */
    bool write_back; /* writes are synced */
};

/* ---- opening and closing ---------------------------------------------------- */

static bool writes_back(const struct io_file *f)
{
    return (f->flags & (IO_WRITE_BACK | IO_DIRECT)) == IO_WRITE_BACK;
}

static int way_of(const char *options)
{
    return (io_option(options, "plain", 0) ? PLAIN : 0) |
           (io_option(options, "sqpoll", 0) ? SQPOLL : 0) |
           (io_option(options, "iopoll", 0) ? IOPOLL : 0);
}

static int no_ring(const char *path, int rc)
{
    const char *why = strerror(-rc);
    if (rc == -EPERM || rc == -EACCES)
        why = "it is forbidden here (sysctl kernel.io_uring_disabled, or a container's "
              "system call filter)";
    else if (rc == -ENOSYS)
        why = "this kernel has no io_uring, or a container's system call filter hides "
              "it";
    else if (rc == -ENOMEM)
        why = "the memory that may be locked (ulimit -l) is too little for the queue";
    return err_set(rc, path, -1,
                   "io_uring cannot be used: %s; the engine threads is asynchronous "
                   "without it",
                   why);
}

/* Tests the operations: kernels 5.1 to 5.5 have rings without them. */
static int probe(struct io_uring *ring)
{
    struct io_uring_probe *p = io_uring_get_probe_ring(ring);
    bool good = p && io_uring_opcode_supported(p, IORING_OP_READ) &&
                io_uring_opcode_supported(p, IORING_OP_WRITE) &&
                io_uring_opcode_supported(p, IORING_OP_SYNC_FILE_RANGE);
    io_uring_free_probe(p);
    return good ? 0 : -ENOSYS;
}

static int make_ring(struct io_uring *ring, unsigned entries, int way)
{
    unsigned flags = (way & SQPOLL ? IORING_SETUP_SQPOLL : 0) |
                     (way & IOPOLL ? IORING_SETUP_IOPOLL : 0);
    int rc = io_uring_queue_init(entries, ring, flags);
    if (!rc && (rc = probe(ring)))
        io_uring_queue_exit(ring);
    return rc;
}

/* Reports that only this kind of ring is impossible, if another kind is possible. */
static int no_such_ring(const struct io_queue *q, int way, int rc)
{
    struct io_uring ring;
    int other = way & (SQPOLL | IOPOLL) ? make_ring(&ring, 1, 0) : rc;
    if (other)
        return no_ring(io_queue_path(q), other);
    io_uring_queue_exit(&ring);
    return err_set(rc, io_queue_path(q), -1,
                   "%s cannot be used: %s%s; without these options io_uring can",
                   layers[way & ~PLAIN], strerror(-rc),
                   rc == -EPERM ? " (before Linux 5.13, sqpoll needs CAP_SYS_NICE)"
                                : "");
}

static int uring_usable(void)
{
    struct io_uring ring;
    int rc = make_ring(&ring, 1, 0);
    if (rc)
        return no_ring(NULL, rc);
    io_uring_queue_exit(&ring);
    return 0;
}

/* Opens the ring. It has one entry more than pieces and their syncs: liburing waits
 * with an entry of its own on kernels before 5.11. With SQPOLL it has twice as many:
 * requests may complete before the kernel reports that it has taken their entries. */
static int open_ring(struct io_queue *q, struct uring_queue *p)
{
    unsigned n = (unsigned)pieces_count(p->pieces);
    bool write_back = !q->only || writes_back(q->only);
    n = (write_back ? 2 * n : n) + 1;
    int rc = make_ring(&p->ring, p->way & SQPOLL ? 2 * n : n, p->way);
    if (rc)
        return no_such_ring(q, p->way, rc);
    if (!(p->way & SQPOLL) || (p->ring.features & IORING_FEAT_SQPOLL_NONFIXED))
        return 0;
    io_uring_queue_exit(&p->ring);
    return err_set(-EOPNOTSUPP, io_queue_path(q), -1,
                   "sqpoll needs Linux 5.11, which takes files that it was not told of "
                   "before");
}

/* Registers the buffers. Past the page cache half of the CPU time goes into finding
 * and pinning the pages of each request's buffer; for registered buffers this is done
 * here. If too little memory may be locked, or a buffer is too large (1 GiB), they
 * stay unregistered. */
static void register_buffers(const struct io_queue *q, struct uring_queue *p)
{
    size_t bytes = (size_t)q->buffer_count * sizeof q->buffers[0];
    bool direct = !q->only || (q->only->flags & IO_DIRECT);
    if ((p->way & PLAIN) || !direct || !bytes || !(p->buffers = malloc(bytes)))
        return;
    memcpy(p->buffers, q->buffers, bytes);
    if (!io_uring_register_buffers(&p->ring, p->buffers, (unsigned)q->buffer_count))
        p->buffer_count = q->buffer_count;
}

static void let_go(struct uring_queue *p)
{
    if (p)
        pieces_free(p->pieces);
    free(p);
}

static int uring_queue_open(struct io_queue *q)
{
    struct uring_queue *p = thread_alloc(sizeof *p, "requests");
    int64_t piece = io_option(q->options, "piece", PIECE);
    if (p)
        p->way = way_of(q->options);
    if (p)
        p->pieces = pieces_make(q, piece < PIECE_MOST ? piece : PIECE_MOST);
    int rc = p && p->pieces ? open_ring(q, p) : -ENOMEM;
    if (rc) {
        let_go(p);
        return rc;
    }
    register_buffers(q, p);
    q->priv = p;
    return 0;
}

static void uring_queue_close(struct io_queue *q)
{
    struct uring_queue *p = q->priv;
    if (p->buffer_count)
        io_uring_unregister_buffers(&p->ring);
    io_uring_queue_exit(&p->ring);
    free(p->buffers);
    let_go(p);
}

/* Registers the file, which saves looking it up for each piece. Not if the queue may
 * have several files: they come and go, and the kernel may release one after we
 * close it. */
static void register_file(const struct io_file *f, struct uring_file *p)
{
    struct uring_queue *q = f->queue->priv;
    bool known = !(q->way & PLAIN) && f->queue->only &&
                 !io_uring_register_files(&q->ring, &p->fd, 1);
    p->target = known ? 0 : p->fd;
    p->how = known ? IOSQE_FIXED_FILE : 0;
}

/* 1: the device has polled queues; 0: it has none; -1: not known. */
static int is_polled(const struct stat *st)
{
    static const char *const places[] = {"queue", "../queue"}; /* "../queue" for
                                                                * a partition */
    char path[96];
    int polled = -1;
    for (int i = 0; i < 2 && polled < 0; i++) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s/io_poll",
                 major(st->st_dev), minor(st->st_dev), places[i]);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%d", &polled) != 1)
            polled = -1;
        if (f)
            fclose(f);
    }
    return polled;
}

/* Makes an empty transfer: 0, or the file system's error. It uses its own ring, to get
 * no other results. */
static int try_polling(const struct io_file *f, int fd)
{
    struct io_uring ring;
    struct io_uring_cqe *cqe;
    int rc = make_ring(&ring, 1, IOPOLL);
    if (rc)
        return rc;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
    if (f->flags & IO_READ)
        io_uring_prep_read(sqe, fd, NULL, 0, 0);
    else
        io_uring_prep_write(sqe, fd, NULL, 0, 0);
    rc = io_uring_submit_and_wait(&ring, 1);
    if (rc >= 0 && !(rc = io_uring_wait_cqe(&ring, &cqe)))
        rc = cqe->res;
    io_uring_queue_exit(&ring);
    return rc;
}

/* Refuses a device without polling: some kernels silently use interrupts instead, and a
 * figure would be of something else than was asked for. */
static int check_polling(const struct io_file *f, int fd)
{
    struct stat st;
    if (!(f->flags & IO_DIRECT))
        return err_usage("I/O engine uring with iopoll goes past the page cache only: "
                         "add --cache=direct, or leave iopoll out");
    if (fstat(fd, &st))
        return err_set(-errno, f->path, -1, "fstat failed: %s", strerror(errno));
    if (is_polled(&st) == 0)
        return err_set(-EOPNOTSUPP, f->path, -1,
                       "the device %u:%u below has no queues that are polled "
                       "(queue/io_poll in sysfs; NVMe: the module's poll_queues=): "
                       "leave iopoll out",
                       major(st.st_dev), minor(st.st_dev));
    int rc = try_polling(f, fd);
    if (!rc)
        return 0;
    return err_set(rc, f->path, -1,
                   "this file system does not poll for completions: %s; leave iopoll "
                   "out",
                   strerror(-rc));
}

static int uring_open(struct io_file *f)
{
    const struct uring_queue *q = f->queue->priv;
    struct uring_file *p = mem_of(f->path, 1, sizeof *p, "an open file");
    if (!p)
        return -ENOMEM;
    p->write_back = writes_back(f);
    p->fd = io_descriptor_open(f);
    int rc = p->fd < 0 ? p->fd : q->way & IOPOLL ? check_polling(f, p->fd) : 0;
    if (rc) {
        if (p->fd >= 0)
            close(p->fd);
        free(p);
        return rc;
    }
    register_file(f, p);
    f->priv = p;
    f->layer = layers[q->way];
    return 0;
}

/* ---- transfers -------------------------------------------------------------- */

static bool has_sync(const struct piece *one)
{
    const struct uring_file *f = one->r->file->priv;
    return f->write_back && one->r->op == IO_OP_WRITE;
}

/* Prepares the sync of the whole piece, including what an earlier, short write of
 * it moved. */
static void prepare_sync(struct uring_queue *p, struct piece *one)
{
    const struct uring_file *f = one->r->file->priv;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&p->ring);
    int64_t bytes = one->at + one->bytes - one->from;
    io_uring_prep_sync_file_range(sqe, f->target, (unsigned)bytes,
                                  (uint64_t)(one->r->offset + one->from),
                                  SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                      SYNC_FILE_RANGE_WAIT_AFTER);
    io_uring_sqe_set_flags(sqe, f->how);
    io_uring_sqe_set_data(sqe, (char *)one + SYNC);
}

/* The registered buffer that holds all of these bytes, or -1. */
static int buffer_of(const struct uring_queue *p, const char *at, int64_t bytes)
{
    for (int i = 0; i < p->buffer_count; i++) {
        uintptr_t from = (uintptr_t)at - (uintptr_t)p->buffers[i].iov_base;
        size_t len = p->buffers[i].iov_len;
        if (from <= len && (uint64_t)bytes <= len - from)
            return i;
    }
    return -1;
}

static void prepare_move(const struct uring_queue *p, struct io_uring_sqe *sqe,
                         const struct piece *one)
{
    const struct uring_file *f = one->r->file->priv;
    static const int codes[2][2] = {{IORING_OP_WRITE, IORING_OP_WRITE_FIXED},
                                    {IORING_OP_READ, IORING_OP_READ_FIXED}};
    char *at = (char *)one->r->buf + one->at;
    int known = buffer_of(p, at, one->bytes);
    io_uring_prep_rw(codes[one->r->op == IO_OP_READ][known >= 0], sqe, f->target, at,
                     (unsigned)one->bytes, (uint64_t)(one->r->offset + one->at));
    if (known >= 0)
        sqe->buf_index = (uint16_t)known;
    io_uring_sqe_set_flags(sqe, f->how | (has_sync(one) ? IOSQE_IO_LINK : 0));
}

static void uring_prepare(struct uring_queue *p, struct piece *one)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&p->ring);
    bool sync = has_sync(one);
    prepare_move(p, sqe, one);
    io_uring_sqe_set_data(sqe, one);
    one->awaited = sync ? 2 : 1;
    p->linked = p->linked || sync;
    if (sync)
        prepare_sync(p, one);
}

/* Submits the ready entries. Those that the kernel does not take now stay in the ring
 * for the next time. Returns 0, or -errno if trying again is in vain. */
static int uring_submit(struct io_queue *q)
{
    struct uring_queue *p = q->priv;
    struct piece *one;
    while ((one = pieces_next(p->pieces)))
        uring_prepare(p, one);
    if (!io_uring_sq_ready(&p->ring))
        return 0;
    int n = (int)io_uring_sq_ready(&p->ring), rc = io_uring_submit(&p->ring);
    if (p->linked && rc > 0 && rc < n && !(p->way & SQPOLL))
        rc = -ENOMEM; /* a sync may have been separated from its write */
    if (rc >= 0 || rc == -EAGAIN || rc == -EBUSY || rc == -EINTR)
        return 0;
    return err_set(rc, io_queue_path(q), -1, "io_uring takes no requests: %s",
                   strerror(-rc));
}

/* Reduces the bytes that count as transferred to the request's first `to`. */
static void go_back(struct piece *one, int64_t to)
{
    one->bytes += one->at - to;
    one->at = to;
}

/* Combines the results of a write and its sync. A short write has cancelled its sync,
 * and its remainder brings one for all. The kernel reports failed write-back once,
 * without the place: so nothing of the request counts. */
static int both(struct piece *one)
{
    bool whole = one->moved == one->bytes;
    if (whole ? !one->synced : one->moved > 0)
        return one->moved;
    int rc = whole ? one->synced : one->moved;
    bool lost = whole && rc != -EAGAIN && rc != -EINTR;
    go_back(one, lost ? 0 : one->from);
    return rc;
}

static void uring_result(struct uring_queue *p, char *data, int what)
{
    bool of_sync = (uintptr_t)data & SYNC;
    struct piece *one = (struct piece *)(data - of_sync);
    *(of_sync ? &one->synced : &one->moved) = what;
    if (--one->awaited == 0)
        pieces_result(p->pieces, one, has_sync(one) ? both(one) : one->moved);
}

/* Collects all completed entries. */
static void uring_collect(struct uring_queue *p)
{
    struct io_uring_cqe *cqe;
    while (!io_uring_peek_cqe(&p->ring, &cqe)) {
        uring_result(p, io_uring_cqe_get_data(cqe), cqe->res);
        io_uring_cqe_seen(&p->ring, cqe);
    }
}

/* Waits until an entry completes, a signal comes, or the time is over. */
static int uring_wait_for_any(struct io_queue *q, double limit_s)
{
    struct uring_queue *p = q->priv;
    struct io_uring_cqe *cqe;
    /* with SQPOLL the kernel takes them by itself */
    if (io_uring_sq_ready(&p->ring) && !(p->way & SQPOLL))
        limit_s = RETRY_S;
    struct __kernel_timespec t = {.tv_sec = (long long)limit_s};
    t.tv_nsec = (long long)((limit_s - (double)t.tv_sec) * 1e9);
    int rc = limit_s > 0 ? io_uring_wait_cqe_timeout(&p->ring, &cqe, &t)
                         : io_uring_wait_cqe(&p->ring, &cqe);
    if (!rc || rc == -ETIME || rc == -EINTR || rc == -EAGAIN)
        return 0;
    return err_set(rc, io_queue_path(q), -1, "waiting for io_uring failed: %s",
                   strerror(-rc));
}

static int uring_start(struct io_queue *q, struct io_req *r[], int n)
{
    struct uring_queue *p = q->priv;
    for (int i = 0; i < n; i++)
        pieces_add(p->pieces, r[i]);
    uring_submit(q); /* reap reports a failure: all of r is in the line by now */
    return 0;
}

static int uring_reap(struct io_queue *q, struct io_req *done[], int max, int min,
                      double limit_s)
{
    struct uring_queue *p = q->priv;
    uring_collect(p);
    int rc = uring_submit(q);
    if (!rc && min > 0 && !pieces_any_done(p->pieces)) {
        rc = uring_wait_for_any(q, limit_s);
        uring_collect(p);
        if (!rc)
            rc = uring_submit(q);
    }
    int n = pieces_reap(p->pieces, done, max);
    return n ? n : rc;
}

/* Waits for one more result of any file; the watchdog limits the time. */
static int uring_wait_more(struct io_queue *q)
{
    int rc = uring_wait_for_any(q, 0);
    uring_collect(q->priv);
    return rc ? rc : uring_submit(q);
}

/* Syncs the file when the kernel has none of its requests. */
static int uring_sync(struct io_file *f)
{
    const struct uring_queue *q = f->queue->priv;
    const struct uring_file *p = f->priv;
    int rc = uring_submit(f->queue);
    while (!rc && pieces_busy(q->pieces, f))
        rc = uring_wait_more(f->queue);
    return rc ? rc : io_descriptor_sync(f, p->fd);
}

/* Closes the file. The kernel releases a ring's files some time after the ring, so the
 * file is unregistered first: else its file system could not be unmounted at once. */
static int uring_close(struct io_file *f)
{
    struct uring_queue *q = f->queue->priv;
    struct uring_file *p = f->priv;
    int failed = pieces_drop(q->pieces, f) ? uring_submit(f->queue) : 0;
    while (!failed && pieces_drop(q->pieces, f))
        failed = uring_wait_more(f->queue);
    if (p->how)
        io_uring_unregister_files(&q->ring);
    int rc = close(p->fd) ? -errno : 0;
    free(p);
    if (rc)
        return err_set(rc, f->path, -1, "close failed: %s", strerror(-rc));
    return 0;
}

const struct io_engine io_engine_uring = {
    .name = "uring",
    .options = "depth|piece|sqpoll[=1]|iopoll[=1]|plain[=1]",
    .can = IO_CAN_DSYNC | IO_CAN_DATA_SYNC | IO_CAN_DIRECT | IO_CAN_WRITE_BACK |
           IO_CAN_SHARE | IO_IN_KERNEL,
    .usable = uring_usable,
    .queue_open = uring_queue_open,
    .queue_close = uring_queue_close,
    .open = uring_open,
    .start = uring_start,
    .reap = uring_reap,
    .sync = uring_sync,
    .close = uring_close,
};
